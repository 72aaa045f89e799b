// The yardstick: a plain matcher of conjunctions, as one engineer writes it in an afternoon.
//
// Each subscription is filed under its two rarest predicates (the access predicates), once for each pair of their
// values, or under the rarest one if there would be more than `most_pairs` (0: always). A posting holds the
// subscription's number and the other predicates, in 12 bytes for 3 predicates and 28 for 8. An event looks up its
// values, and with pairs also each pair of them. Events are matched one at a time. There are no updates, no strings, no multiple values and no vagueness: an event is a row of
// small integers.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

constexpr uint8_t ABSENT = 255;
constexpr int VALUES = 256;
constexpr uint32_t PAIR = 1u << 31;

struct Test {
    uint8_t attribute, low, width;
    bool holds(const uint8_t* event) const { return static_cast<uint8_t>(event[attribute] - low) <= width; }
};

template <int TESTS>
struct Posting {
    uint32_t subscription;
    Test tests[TESTS];
};

struct Found {
    int64_t matches, checked;
};

struct Matcher {
    virtual ~Matcher() = default;
    virtual Found match(const uint8_t* events, int64_t count, int32_t* out_event, uint32_t* out, int64_t room) const = 0;
    int64_t bytes = 0;
};

template <int TESTS>
struct AccessLists : Matcher {
    struct Slot {
        uint32_t key;
        uint32_t begin, end;
    };
    int attributes, shift, most_pairs;
    std::vector<uint32_t> start;  // by attribute and value: the postings with one access predicate
    std::vector<Slot> slots;      // by pair of values: the postings with two
    std::vector<Posting<TESTS>> postings;

    static uint32_t pair_of(uint32_t one, uint32_t other) {
        return one < other ? one << 15 | other : other << 15 | one;
    }
    const Slot* found(uint32_t key) const {
        for (uint32_t at = key * 0x9E3779B1u >> shift;; at = (at + 1) & (slots.size() - 1))
            if (slots[at].key == key) return &slots[at];
            else if (slots[at].key == 0) return nullptr;
    }

    AccessLists(int64_t size, int k, int attributes, const uint8_t* attribute, const uint8_t* low, const uint8_t* high,
                int most_pairs)
        : attributes(attributes), most_pairs(most_pairs), start(attributes * VALUES + 1, 0) {
        // How often an event is expected to have a value: as often as subscriptions ask for exactly this value, in
        // attributes that events have as often as subscriptions use them.
        std::vector<double> mass(attributes * VALUES, 0.0), used(attributes, 0.0), points(attributes, 0.0);
        for (int64_t i = 0; i < size * k; i++) {
            used[attribute[i]] += 1;
            if (low[i] == high[i]) {
                mass[attribute[i] * VALUES + low[i]] += 1;
                points[attribute[i]] += 1;
            }
        }
        double most = *std::max_element(used.begin(), used.end());
        for (int a = 0; a < attributes; a++)
            for (int v = 0; v < VALUES; v++) mass[a * VALUES + v] *= used[a] / most / std::max(1.0, points[a]);
        // Postings by key: pairs have keys above those of single values.
        std::vector<std::pair<uint32_t, Posting<TESTS>>> made;
        std::vector<double> cost(k);
        for (int64_t s = 0; s < size; s++) {
            const uint8_t *of = attribute + s * k, *from = low + s * k, *to = high + s * k;
            std::vector<int> order(k);
            for (int j = 0; j < k; j++) {
                order[j] = j;
                cost[j] = 0;
                for (int v = from[j]; v <= to[j]; v++) cost[j] += mass[of[j] * VALUES + v];
            }
            std::sort(order.begin(), order.end(), [&](int one, int other) { return cost[one] < cost[other]; });
            int keys = 1;
            // The second key is the rarest that does not make too many postings.
            for (int j = 1; j < k && keys == 1; j++) {
                int one = order[0], other = order[j];
                if ((to[one] - from[one] + 1) * (to[other] - from[other] + 1) > most_pairs) continue;
                std::rotate(order.begin() + 1, order.begin() + j, order.begin() + j + 1);
                keys = 2;
            }
            Posting<TESTS> posting;
            posting.subscription = static_cast<uint32_t>(s);
            for (auto& test : posting.tests) test = Test{of[order[0]], 0, ABSENT};  // holds for every event
            for (int j = keys; j < k; j++)
                posting.tests[j - keys] =
                    Test{of[order[j]], from[order[j]], static_cast<uint8_t>(to[order[j]] - from[order[j]])};
            int one = order[0];
            for (int v = from[one]; v <= to[one]; v++) {
                uint32_t first = of[one] * VALUES + v;
                if (keys == 1) {
                    made.push_back({first, posting});
                    continue;
                }
                int other = order[1];
                for (int u = from[other]; u <= to[other]; u++)
                    made.push_back({PAIR | pair_of(first, of[other] * VALUES + u), posting});
            }
        }
        std::stable_sort(made.begin(), made.end(), [](auto& one, auto& other) { return one.first < other.first; });
        postings.resize(made.size());
        size_t groups = 1;
        for (size_t i = 0; i < made.size(); i++) {
            postings[i] = made[i].second;
            if (!(made[i].first & PAIR)) start[made[i].first + 1]++;
            else if (i == 0 || made[i].first != made[i - 1].first) groups++;
        }
        for (size_t i = 1; i < start.size(); i++) start[i] += start[i - 1];
        int bits = 1;
        while ((size_t{1} << bits) < 2 * groups) bits++;
        shift = 32 - bits;
        slots.assign(size_t{1} << bits, Slot{0, 0, 0});
        for (size_t i = start.back(); i < made.size();) {
            size_t j = i;
            while (j < made.size() && made[j].first == made[i].first) j++;
            uint32_t at = made[i].first * 0x9E3779B1u >> shift;
            while (slots[at].key) at = (at + 1) & (slots.size() - 1);
            slots[at] = Slot{made[i].first, static_cast<uint32_t>(i), static_cast<uint32_t>(j)};
            i = j;
        }
        bytes = postings.size() * sizeof(postings[0]) + start.size() * sizeof(start[0]) + slots.size() * sizeof(Slot);
    }

    Found match(const uint8_t* events, int64_t count, int32_t* out_event, uint32_t* out, int64_t room) const override {
        int64_t size = 0, checked = 0;
        uint32_t values[VALUES];
        for (int64_t e = 0; e < count; e++, events += attributes) {
            auto check = [&](uint32_t begin, uint32_t end) {
                checked += end - begin;
                for (const auto *posting = &postings[begin], *last = posting + (end - begin); posting != last; posting++) {
                    bool good = true;
                    for (int t = 0; t < TESTS && good; t++) good = posting->tests[t].holds(events);
                    if (!good || size == room) continue;
                    out_event[size] = static_cast<int32_t>(e);
                    out[size++] = posting->subscription;
                }
            };
            int present = 0;
            for (int a = 0; a < attributes; a++)
                if (events[a] != ABSENT) values[present++] = a * VALUES + events[a];
            for (int i = 0; i < present; i++) {
                if (start[values[i]] < start[values[i] + 1]) check(start[values[i]], start[values[i] + 1]);
                for (int j = i + 1; j < present && most_pairs; j++)
                    if (const Slot* slot = found(PAIR | pair_of(values[i], values[j]))) check(slot->begin, slot->end);
            }
            if (size == room) return {-1, 0};
        }
        return {size, checked};
    }
};

}  // namespace

extern "C" {

void* yardstick_build(int64_t size, int k, int attributes, const uint8_t* attribute, const uint8_t* low,
                      const uint8_t* high, int most_pairs) {
    if (k <= 3) return static_cast<Matcher*>(new AccessLists<2>(size, k, attributes, attribute, low, high, most_pairs));
    if (k <= 8) return static_cast<Matcher*>(new AccessLists<7>(size, k, attributes, attribute, low, high, most_pairs));
    return nullptr;
}

// The number of matches, or -1 if there is no room for them. Postings that were checked are counted in `checked`.
int64_t yardstick_match(const void* matcher, const uint8_t* events, int64_t count, int32_t* out_event, uint32_t* out,
                        int64_t room, int64_t* checked) {
    Found found = static_cast<const Matcher*>(matcher)->match(events, count, out_event, out, room);
    *checked = found.checked;
    return found.matches;
}

int64_t yardstick_bytes(const void* matcher) { return static_cast<const Matcher*>(matcher)->bytes; }

void yardstick_free(void* matcher) { delete static_cast<Matcher*>(matcher); }
}
