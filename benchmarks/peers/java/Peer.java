import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the two peers in Java share. Arguments as of the peers in Python (see ../common.py). */
abstract class Peer {
    static final int CHECKED = 20;
    static final ObjectMapper JSON = new ObjectMapper();

    abstract void add(JsonNode subscription) throws Exception;

    void finish() throws Exception {}

    abstract List<Integer> match(JsonNode event, String text) throws Exception;

    static class Cannot extends Exception {
        Cannot(String why) {
            super(why);
        }
    }

    /** Processor time of this thread and not of the collector's: in the peers' favour. */
    static double seconds() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() / 1e9;
    }

    void run(String[] arguments) throws Exception {
        double began = seconds(), parsing = 0;
        try (var lines = Files.newBufferedReader(Path.of(arguments[0]))) {
            for (String line; (line = lines.readLine()) != null; ) {
                double before = seconds();
                JsonNode node = JSON.readTree(line);
                parsing += seconds() - before;
                add(node);
            }
        } catch (Cannot error) {
            System.out.println("{\"cannot\": \"" + error.getMessage() + "\"}");
            return;
        }
        finish();
        double built = seconds() - began - parsing;
        List<String> texts = Files.readAllLines(Path.of(arguments[1]));
        List<JsonNode> events = new ArrayList<>();
        for (String text : texts) events.add(JSON.readTree(text));
        double budget = Double.parseDouble(arguments[2]), spent = 0;
        for (int i = 0; i < Math.min(200, events.size()); i++) { // the compiler of the virtual machine warms up
            match(events.get(i), texts.get(i));
            if (seconds() - began - built > budget) break;
        }
        StringBuilder answers = new StringBuilder();
        int done = 0;
        while (done < events.size() && spent < budget) {
            double before = seconds();
            List<Integer> found = match(events.get(done), texts.get(done));
            spent += seconds() - before;
            if (done < CHECKED) answers.append(found.stream().distinct().sorted().toList()).append('\n');
            done++;
        }
        Files.writeString(Path.of(arguments[3]), answers);
        System.out.printf("{\"build\": %f, \"events\": %d, \"seconds\": %f}%n", built, done, spent);
    }
}
