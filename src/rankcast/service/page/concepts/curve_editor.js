// Membership functions over a histogram, one of them to be edited: by dragging its points, or by keyboard.
// What is shown comes as props; what the visitor does goes out as "change" with the new numbers.

const LABELS = {
  trapezoid: ["begins to rise", "fully so from", "fully so up to", "no more from"],
  triangle: ["begins to rise", "fully so at", "no more from"],
  between: ["from", "up to"],
  left_shoulder: ["fully so up to", "no more from"],
  right_shoulder: ["begins to rise", "fully so from"],
  gaussian: ["middle", "width"],
};

function corners(form, n) {
  switch (form) {
    case "trapezoid": return [[n[0], 0], [n[1], 1], [n[2], 1], [n[3], 0]];
    case "triangle": return [[n[0], 0], [n[1], 1], [n[2], 0]];
    case "between": return [[n[0], 0], [n[0], 1], [n[1], 1], [n[1], 0]];
    case "left_shoulder": return [[n[0], 1], [n[1], 0]];
    case "right_shoulder": return [[n[0], 0], [n[1], 1]];
    case "piecewise": return n;
    default: return [];
  }
}

export function degree(form, n, x) {
  if (form === "gaussian") return Math.exp(-(((x - n[0]) / n[1]) ** 2) / 2);
  const points = corners(form, n);
  const at = points.filter((p) => p[0] === x).map((p) => p[1]);
  if (at.length) return Math.max(...at);
  if (x < points[0][0]) return points[0][1];
  for (let i = 1; i < points.length; i++) {
    const [x0, y0] = points[i - 1], [x1, y1] = points[i];
    if (x0 < x && x < x1) return y0 + ((y1 - y0) * (x - x0)) / (x1 - x0);
  }
  return points[points.length - 1][1];
}

export default {
  props: { axis: Object, bars: Array, curves: Array, edited: Object, hedges: Boolean, title: String, still: Boolean },
  template: `
    <div class="rcd-editor" ref="box">
      <svg v-if="axis" :width="width" :height="height" role="group" :aria-label="title" @dblclick="added">
        <template v-if="!isTable">
          <g class="rc-ticks"><template v-for="t in yTicks">
            <line :x1="left" :x2="width - right" :y1="py(t)" :y2="py(t)"/>
            <text :x="left - 8" :y="py(t) + 4" text-anchor="end">{{ t }}</text></template>
            <text v-for="t in xTicks" :x="px(t)" :y="height - 18" text-anchor="middle">{{ said(t) }}</text>
            <text :x="(left + width - right) / 2" :y="height - 2" text-anchor="middle">{{ axis.name }}</text></g>
          <rect v-for="b in bars" class="rc-histogram" :x="px(b[0])" :width="Math.max(px(b[1]) - px(b[0]) - 0.5, 0.5)"
            :y="py(b[2])" :height="py(0) - py(b[2])"/>
          <path v-for="c in others" class="rc-curve rc-other" :d="path(c.form, c.numbers)" :stroke="c.colour"/>
          <text v-for="l in labels" class="rcd-name" :class="{ 'rc-now': l.now }" :x="l.x" :y="py(1) - 14 - 13 * l.row" :fill="l.colour" text-anchor="middle">{{ l.name }}</text>
          <template v-if="edited">
            <path class="rc-area" :d="path(edited.form, numbers) + closing" :fill="edited.colour"/>
            <template v-if="hedges">
              <path class="rc-curve rcd-hedge" :d="path(edited.form, numbers, 2)" :stroke="edited.colour"/>
              <path class="rc-curve rcd-hedge rc-somewhat" :d="path(edited.form, numbers, 0.5)" :stroke="edited.colour"/>
            </template>
            <path class="rc-curve" :d="path(edited.form, numbers)" :stroke="edited.colour"/>
          </template>
        </template>
        <template v-else>
          <g class="rc-ticks"><template v-for="t in yTicks">
            <line :x1="left" :x2="width - right" :y1="py(t)" :y2="py(t)"/>
            <text :x="left - 8" :y="py(t) + 4" text-anchor="end">{{ t }}</text></template></g>
          <g v-for="(row, i) in columns">
            <rect class="rc-histogram" :x="cx(i) - cw * 0.42" :width="cw * 0.84" :y="py(row.share)" :height="py(0) - py(row.share)"/>
            <rect v-if="edited" class="rcd-degree" :x="cx(i) - cw * 0.22" :width="cw * 0.44" :y="py(row.degree)" :height="py(0) - py(row.degree)" :fill="edited.colour"/>
            <line v-for="o in row.others" class="rc-curve" :x1="cx(i) - cw * 0.36" :x2="cx(i) + cw * 0.36" :y1="py(o.degree)" :y2="py(o.degree)" :stroke="o.colour"/>
            <text class="rc-category" :transform="slanted(i)" :text-anchor="cw < 74 ? 'end' : 'middle'">{{ row.value }}</text>
          </g>
        </template>
        <g v-for="h in handles" :key="h.key" class="rc-handle" :class="{ 'rc-held': held === h.index }" role="slider"
          :tabindex="still ? -1 : 0" :aria-label="h.label" :aria-valuenow="h.now" :aria-valuetext="h.text"
          :aria-valuemin="h.least" :aria-valuemax="h.most" :aria-orientation="h.moves === 'y' ? 'vertical' : 'horizontal'"
          :aria-disabled="still" :data-handle="h.index" :transform="'translate(' + h.px + ' ' + h.py + ')'"
          @pointerdown="grabbed($event, h)" @keydown="pressed($event, h)">
          <circle r="18" class="rc-reach"/><circle r="7" class="rc-dot" :stroke="edited.colour"/>
        </g>
        <g v-if="held !== null && tip" class="rc-tip" :transform="'translate(' + tip.x + ' ' + tip.y + ')'">
          <rect :x="-tip.text.length * 3.9 - 8" y="-15" :width="tip.text.length * 7.8 + 16" height="22" rx="6"/>
          <text text-anchor="middle" y="1">{{ tip.text }}</text></g>
      </svg>
    </div>`,

  data() {
    return { width: 640, numbers: [], held: null, sent: 0, yTicks: [0, 0.5, 1] };
  },

  created() { this.take(); },
  mounted() {
    this.watcher = new ResizeObserver(() => (this.width = Math.max(this.$refs.box.clientWidth, 240)));
    this.watcher.observe(this.$refs.box);
  },
  unmounted() { this.watcher.disconnect(); },

  watch: {
    edited: { deep: true, handler() { if (this.held === null) this.take(); } },
  },

  computed: {
    isTable() { return !!this.axis && this.axis.categories !== null; },
    height() { return this.width < 480 ? 250 : 320; },
    left() { return 34; }, right() { return 16; }, top() { return 42; },
    bottom() { return this.isTable && this.cw < 74 ? 84 : 44; },
    others() { return this.curves.filter((c) => !this.edited || c.key !== this.edited.key); },
    closing() { return ` L ${this.width - this.right} ${this.py(0)} L ${this.left} ${this.py(0)} Z`; },
    cw() { return (this.width - this.left - this.right) / Math.max(this.axis.categories.length, 1); },
    labels() {
      // The name that is being edited first; one that would cover another goes a line up, or is left to the list.
      const mine = this.edited ? [{ ...this.edited, numbers: this.numbers, now: true }] : [], placed = [];
      for (const c of [...mine, ...this.others].filter((one) => one.numbers.length)) {
        const x = this.labelAt(c), half = c.name.length * 3.7 + 5;
        const row = [0, 1].find((r) => placed.every((p) => p.row !== r || Math.abs(p.x - x) > p.half + half));
        if (row !== undefined) placed.push({ name: c.name, colour: c.colour, now: !!c.now, x, half, row });
      }
      return placed;
    },
    columns() {
      const mine = new Map(this.numbers);
      return this.axis.categories.map(([value, share]) => ({
        value, share, degree: mine.get(value) || 0,
        others: this.others.map((c) => ({ colour: c.colour, degree: new Map(c.numbers).get(value) || 0 })).filter((o) => o.degree > 0),
      }));
    },
    xTicks() {
      const { low, high, log } = this.axis, room = Math.max(2, Math.floor(this.width / 75));
      if (log) {
        for (const steps of [[1, 2, 5], [1, 3], [1]]) {
          const found = [];
          for (let d = Math.floor(Math.log10(low)); d <= Math.log10(high); d++)
            for (const s of steps) { const x = s * 10 ** d; if (x >= low && x <= high) found.push(x); }
          if (found.length <= room && found.length > 1) return found;
        }
      }
      const rough = (high - low) / room, power = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 5, 10].map((s) => s * power).find((s) => s >= rough);
      const found = [];
      for (let x = Math.ceil(low / step) * step; x <= high + step * 1e-6; x += step) found.push(Number(x.toPrecision(12)));
      return found;
    },
    handles() {
      if (!this.edited || !this.numbers.length) return [];
      const n = this.numbers, form = this.edited.form, name = this.edited.name;
      const made = (index, x, y, moves, label) => ({
        index, key: `${form}${index}`, x, y, moves, px: this.isTable ? x : this.px(x), py: this.py(y), label: `${name}: ${label}`,
        now: moves === "y" ? y : x, least: moves === "y" ? 0 : this.axis.low, most: moves === "y" ? 1 : this.axis.high,
        text: moves === "y" ? `degree ${y}` : moves === "xy" ? `${this.said(x)}, degree ${y}` : this.said(x),
      });
      if (form === "table")
        return this.axis.categories.map(([value], i) => made(i, this.cx(i), this.columns[i].degree, "y", String(value)));
      if (form === "gaussian")
        return [made(0, n[0], 1, "x", "middle"), made(1, n[0] + n[1], Math.exp(-0.5), "x", "width")];
      if (form === "between") return n.map((x, i) => made(i, x, 1, "x", LABELS.between[i]));
      if (form === "piecewise") return n.map(([x, y], i) => made(i, x, y, "xy", `point ${i + 1}`));
      return corners(form, n).map(([x, y], i) => made(i, x, y, "x", LABELS[form][i]));
    },
    tip() {
      const h = this.handles.find((one) => one.index === this.held);
      const half = h && h.text.length * 3.9 + 12;
      return h && { text: h.text, x: Math.min(Math.max(h.px, half), this.width - half), y: Math.max(h.py - 22, 18) };
    },
  },

  methods: {
    take() { this.numbers = this.edited ? JSON.parse(JSON.stringify(this.edited.numbers)) : []; },
    bent(x) { return this.axis.log ? Math.log(Math.max(x, this.axis.low)) : x; },
    px(x) {
      const low = this.bent(this.axis.low), high = this.bent(this.axis.high);
      const share = Math.min(Math.max((this.bent(x) - low) / (high - low), 0), 1);
      return this.left + share * (this.width - this.left - this.right);
    },
    py(y) { return this.top + (1 - y) * (this.height - this.top - this.bottom); },
    cx(i) { return this.left + (i + 0.5) * this.cw; },
    slanted(i) { return `translate(${this.cx(i)} ${this.py(0) + 18})` + (this.cw < 74 ? " rotate(-35)" : ""); },
    ux(px) {
      const low = this.bent(this.axis.low), high = this.bent(this.axis.high);
      const share = Math.min(Math.max((px - this.left) / (this.width - this.left - this.right), 0), 1);
      const x = low + share * (high - low);
      return this.axis.log ? Math.exp(x) : x;
    },
    uy(py) { return Math.min(Math.max(1 - (py - this.top) / (this.height - this.top - this.bottom), 0), 1); },
    step(x) {
      if (this.axis.log) return 10 ** (Math.floor(Math.log10(Math.max(Math.abs(x), this.axis.low))) - 1);
      return 10 ** Math.floor(Math.log10((this.axis.high - this.axis.low) / 100));
    },
    keyStep(x) {
      if (this.axis.log) return this.step(x);
      const rough = (this.axis.high - this.axis.low) / 150, power = 10 ** Math.floor(Math.log10(rough));
      return [1, 2, 5, 10].map((s) => s * power).find((s) => s >= rough);
    },
    rounded(x) { const s = this.step(x); return Number((Math.round(x / s) * s).toPrecision(12)); },
    said(x) {
      if (Math.abs(x) >= 10000) return x.toLocaleString("en-US", { maximumFractionDigits: 0 });
      return String(Number(x.toPrecision(6)));
    },
    path(form, n, power = 1) {
      if (!n.length || form === "table") return "";
      const { low, high } = this.axis, xs = [];
      for (let p = this.left; p <= this.width - this.right; p += 2) xs.push(this.ux(p));
      xs.push(high);
      for (const [x] of corners(form, n)) xs.push(x, x - Math.abs(high - low) * 1e-7, x + Math.abs(high - low) * 1e-7);
      return xs.filter((x) => x >= low && x <= high).sort((a, b) => a - b)
        .map((x, i) => `${i ? "L" : "M"} ${this.px(x).toFixed(1)} ${this.py(degree(form, n, x) ** power).toFixed(1)}`).join(" ");
    },
    labelAt(c) {
      let best = -1, from = this.left, to = this.left;
      for (let p = this.left; p <= this.width - this.right; p += 4) {
        const d = degree(c.form, c.numbers, this.ux(p));
        if (d > best + 1e-9) { best = d; from = to = p; } else if (d > best - 1e-9) to = p;
      }
      const half = c.name.length * 3.6;
      return Math.min(Math.max((from + to) / 2, this.left + half), this.width - this.right - half);
    },

    grabbed(event, h) {
      if (this.still || event.button > 0) return;
      event.preventDefault();
      const target = event.currentTarget, box = this.$refs.box.getBoundingClientRect();
      target.focus();
      target.setPointerCapture(event.pointerId);
      this.held = h.index;
      const move = (e) => {
        const x = this.rounded(this.ux(e.clientX - box.left)), y = Math.round(this.uy(e.clientY - box.top) * 50) / 50;
        this.put(h.index, x, y, false);
      };
      const end = () => {
        target.removeEventListener("pointermove", move);
        for (const name of ["pointerup", "pointercancel"]) target.removeEventListener(name, end);
        this.held = null;
        this.send(true);
      };
      target.addEventListener("pointermove", move);
      for (const name of ["pointerup", "pointercancel"]) target.addEventListener(name, end);
    },

    pressed(event, h) {
      if (this.still) return;
      if (event.key === "Delete" && this.edited.form === "piecewise" && this.numbers.length > 1) {
        this.numbers.splice(h.index, 1);
        event.preventDefault();
        return this.send(true);
      }
      const much = event.shiftKey ? 10 : 1;
      const dx = { ArrowLeft: -1, ArrowRight: 1 }[event.key], dy = { ArrowDown: -1, ArrowUp: 1 }[event.key];
      if (dx === undefined && dy === undefined) return;
      event.preventDefault();
      // With arrows up and down a point that moves along the axis moves too, as a slider does.
      const along = h.moves === "x" ? dx || dy || 0 : dx || 0;
      const y = h.moves === "x" ? h.y : Math.round(Math.min(Math.max(h.y + (dy || 0) * 0.02 * much, 0), 1) * 50) / 50;
      if (h.moves === "y" && !dy) return;
      this.put(h.index, h.moves === "y" ? 0 : this.rounded(h.x + along * this.keyStep(h.x) * much), y, true);
    },

    put(index, x, y, done) {
      const n = JSON.parse(JSON.stringify(this.numbers)), form = this.edited.form;
      if (form === "table") {
        const value = this.axis.categories[index][0], row = n.find((r) => r[0] === value);
        if (row) row[1] = y; else n.push([value, y]);
      } else if (form === "gaussian") {
        if (index === 0) n[0] = x; else n[1] = Math.max(Number((x - n[0]).toPrecision(12)), this.step(x) / 10);
      } else if (form === "piecewise") {
        const least = index ? n[index - 1][0] : -Infinity, most = index < n.length - 1 ? n[index + 1][0] : Infinity;
        n[index] = [Math.min(Math.max(x, least), most), y];
      } else {
        const least = index ? n[index - 1] : -Infinity, most = index < n.length - 1 ? n[index + 1] : Infinity;
        n[index] = Math.min(Math.max(x, least), most);
      }
      this.numbers = n;
      this.send(done);
    },

    added(event) {
      if (this.still || !this.edited || this.edited.form !== "piecewise") return;
      const box = this.$refs.box.getBoundingClientRect();
      const x = this.rounded(this.ux(event.clientX - box.left)), y = Math.round(this.uy(event.clientY - box.top) * 50) / 50;
      this.numbers = [...this.numbers, [x, y]].sort((a, b) => a[0] - b[0]);
      this.send(true);
    },

    send(done) {
      const now = Date.now();
      if (!done && now - this.sent < 90) return;
      this.sent = now;
      this.$emit("change", { numbers: this.numbers, done });
    },
  },
};
