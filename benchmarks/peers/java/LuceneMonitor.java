import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.core.KeywordAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.IntPoint;
import org.apache.lucene.document.StringField;
import org.apache.lucene.index.Term;
import org.apache.lucene.monitor.Monitor;
import org.apache.lucene.monitor.MonitorConfiguration;
import org.apache.lucene.monitor.MonitorQuery;
import org.apache.lucene.monitor.QueryMatch;
import org.apache.lucene.monitor.TermFilteredPresearcher;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.WildcardQuery;

/** Lucene Monitor: queries are filtered by their terms, then run on the event's document. */
class LuceneMonitor extends Peer {
    private final Monitor monitor;
    private final List<MonitorQuery> waiting = new ArrayList<>();

    LuceneMonitor() throws Exception {
        monitor = new Monitor(new KeywordAnalyzer(), new TermFilteredPresearcher(), new MonitorConfiguration());
    }

    public static void main(String[] arguments) throws Exception {
        new LuceneMonitor().run(arguments);
        System.exit(0); // the monitor keeps a thread
    }

    @Override
    void add(JsonNode subscription) throws Exception {
        boolean dnf = subscription.get("dnf").asBoolean();
        BooleanQuery.Builder all = new BooleanQuery.Builder();
        for (JsonNode clause : subscription.get("clauses")) {
            BooleanQuery.Builder some = new BooleanQuery.Builder();
            for (JsonNode row : clause) some.add(query(row), dnf ? Occur.MUST : Occur.SHOULD);
            all.add(clause.size() == 1 ? query(clause.get(0)) : some.build(), dnf ? Occur.SHOULD : Occur.MUST);
        }
        waiting.add(new MonitorQuery(subscription.get("id").asText(), all.build()));
        if (waiting.size() == 10_000) finish();
    }

    @Override
    void finish() throws Exception {
        monitor.register(waiting);
        waiting.clear();
    }

    private static Query query(JsonNode row) {
        String name = row.get(0).asText();
        return switch (row.get(1).asText()) {
            case "between" -> IntPoint.newRangeQuery(name, row.get(2).asInt(), row.get(3).asInt());
            case "contains" -> new WildcardQuery(new Term(name, "*" + row.get(2).asText() + "*"));
            case "startswith" -> new PrefixQuery(new Term(name, row.get(2).asText()));
            default -> row.get(2).isTextual()
                    ? new TermQuery(new Term(name, row.get(2).asText()))
                    : IntPoint.newExactQuery(name, row.get(2).asInt());
        };
    }

    @Override
    List<?> match(JsonNode event) throws Exception {
        Document document = new Document();
        event.fields().forEachRemaining(field -> {
            if (field.getValue().isTextual()) {
                document.add(new StringField(field.getKey(), field.getValue().asText(), Field.Store.NO));
            } else {
                document.add(new IntPoint(field.getKey(), field.getValue().asInt()));
            }
        });
        return monitor.match(document, QueryMatch.SIMPLE_MATCHER).getMatches().stream()
                .map(match -> Integer.valueOf(match.getQueryId()))
                .toList();
    }
}
