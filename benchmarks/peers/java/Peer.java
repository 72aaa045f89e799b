import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the two peers in Java share. Arguments as of the peers in Python (see ../common.py). Only the search is timed.
 * Each line of the input asks for another round; its answer is the seconds per event.
 */
abstract class Peer {
    static final int CHECKED = 20;
    static final ObjectMapper JSON = new ObjectMapper();

    /** Counted so that no search can be left out. */
    long matches = 0;

    abstract void add(JsonNode subscription) throws Exception;

    void finish() throws Exception {}

    /** The ids of the matching subscriptions, as numbers or as text. */
    abstract List<?> match(JsonNode event) throws Exception;

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
        List<JsonNode> events = new ArrayList<>();
        for (String text : Files.readAllLines(Path.of(arguments[1]))) events.add(JSON.readTree(text));
        double budget = Double.parseDouble(arguments[2]), spent = 0;
        for (int i = 0; i < Math.min(200, events.size()); i++) { // the compiler of the virtual machine warms up
            match(events.get(i));
            if (seconds() - began - built > budget) break;
        }
        StringBuilder answers = new StringBuilder();
        int done = 0;
        while (done < events.size() && spent < budget) {
            double before = seconds();
            List<?> found = match(events.get(done));
            spent += seconds() - before;
            if (done < CHECKED) {
                var ids = found.stream().map(id -> Integer.valueOf(id.toString())).distinct().sorted().toList();
                answers.append(ids).append('\n');
            }
            done++;
        }
        Files.writeString(Path.of(arguments[3]), answers);
        System.out.printf("{\"build\": %f, \"events\": %d, \"seconds\": %f}%n", built, done, spent);
        var asked = new BufferedReader(new InputStreamReader(System.in));
        while (asked.readLine() != null) {
            double before = seconds();
            for (int i = 0; i < done; i++) matches += match(events.get(i)).size();
            System.out.println((seconds() - before) / done);
        }
    }
}
