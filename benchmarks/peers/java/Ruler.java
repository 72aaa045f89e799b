import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.List;
import software.amazon.event.ruler.Machine;

/** AWS event-ruler: one machine of all rules; a DNF is several rules of one name. */
class Ruler extends Peer {
    private final Machine machine = new Machine();

    public static void main(String[] arguments) throws Exception {
        new Ruler().run(arguments);
    }

    @Override
    void add(JsonNode subscription) throws Exception {
        String name = subscription.get("id").asText();
        if (subscription.get("dnf").asBoolean()) {
            for (JsonNode conjunction : subscription.get("clauses")) machine.addRule(name, rule(conjunction).toString());
            return;
        }
        ArrayNode rows = JSON.createArrayNode();
        for (JsonNode clause : subscription.get("clauses")) {
            if (clause.size() > 1) throw new Cannot("one $or per rule, so no conjunction of alternatives");
            rows.add(clause.get(0));
        }
        machine.addRule(name, rule(rows).toString());
    }

    private static ObjectNode rule(JsonNode rows) {
        ObjectNode rule = JSON.createObjectNode();
        for (JsonNode row : rows) {
            ArrayNode values = rule.putArray(row.get(0).asText());
            switch (row.get(1).asText()) {
                case "between" -> {
                    ArrayNode range = values.addObject().putArray("numeric");
                    if (row.get(2).equals(row.get(3))) range.add("=").add(row.get(2));
                    else range.add(">=").add(row.get(2)).add("<=").add(row.get(3));
                }
                case "contains" -> values.addObject().put("wildcard", "*" + row.get(2).asText() + "*");
                case "startswith" -> values.addObject().put("prefix", row.get(2).asText());
                default -> {
                    if (row.get(2).isTextual()) values.add(row.get(2));
                    else values.addObject().putArray("numeric").add("=").add(row.get(2));
                }
            }
        }
        return rule;
    }

    @Override
    List<?> match(JsonNode event) throws Exception {
        return machine.rulesForJSONEvent(event);
    }
}
