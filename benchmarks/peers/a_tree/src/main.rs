// a-tree: one tree of all expressions. Arguments as of the peers in Python (see ../common.py).
// Only the search is timed. Each line of the input asks for another round; its answer is the seconds per event.
use a_tree::{ATree, AttributeDefinition};
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::hint::black_box;
use std::io;

const CHECKED: usize = 20;

fn seconds() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => format!("\"{}\"", text),
        other => other.to_string(),
    }
}

fn text(row: &Value) -> Option<String> {
    let name = row[0].as_str().unwrap();
    match row[1].as_str().unwrap() {
        "=" => Some(format!("{} = {}", name, literal(&row[2]))),
        "between" => Some(format!("({} >= {} and {} <= {})", name, row[2], name, row[3])),
        _ => None,
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let lines = |path: &str| -> Vec<Value> {
        fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let subscriptions = lines(&arguments[1]);
    let events = lines(&arguments[2]);
    let budget: f64 = arguments[3].parse().unwrap();
    let mut kinds: BTreeMap<String, bool> = BTreeMap::new();
    for one in &subscriptions {
        for clause in one["clauses"].as_array().unwrap() {
            for row in clause.as_array().unwrap() {
                kinds.insert(row[0].as_str().unwrap().to_string(), row[2].is_string());
            }
        }
    }
    let definitions: Vec<AttributeDefinition> = kinds
        .iter()
        .map(|(name, text)| if *text { AttributeDefinition::string(name) } else { AttributeDefinition::integer(name) })
        .collect();
    let mut tree = ATree::<u64>::new(&definitions).unwrap();
    let began = seconds();
    for one in &subscriptions {
        let (outer, inner) = if one["dnf"].as_bool().unwrap() { (" or ", " and ") } else { (" and ", " or ") };
        let mut parts = Vec::new();
        for clause in one["clauses"].as_array().unwrap() {
            let rows: Option<Vec<String>> = clause.as_array().unwrap().iter().map(text).collect();
            match rows {
                Some(rows) => parts.push(format!("({})", rows.join(inner))),
                None => {
                    println!("{{\"cannot\": \"no operator looks inside a string\"}}");
                    return;
                }
            }
        }
        let expression = parts.join(outer);
        tree.insert(&one["id"].as_u64().unwrap(), &expression).unwrap();
    }
    let built = seconds() - began;
    let (mut done, mut spent) = (0, 0.0);
    let mut answers = String::new();
    let mut native = Vec::new();
    for event in &events {
        let mut builder = tree.make_event();
        for (name, value) in event.as_object().unwrap() {
            if let Some(is_text) = kinds.get(name) {
                if *is_text {
                    builder.with_string(name, value.as_str().unwrap()).unwrap();
                } else {
                    builder.with_integer(name, value.as_i64().unwrap()).unwrap();
                }
            }
        }
        native.push(builder.build().unwrap());
    }
    while done < native.len() && spent < budget {
        let began = seconds();
        let report = black_box(tree.search(&native[done]).unwrap());
        spent += seconds() - began;
        if done < CHECKED {
            let found: HashSet<u64> = report.matches().iter().map(|id| **id).collect();
            let mut ids: Vec<u64> = found.into_iter().collect();
            ids.sort();
            answers.push_str(&format!("{:?}\n", ids));
        }
        done += 1;
    }
    fs::write(&arguments[4], answers).unwrap();
    println!("{{\"build\": {}, \"events\": {}, \"seconds\": {}}}", built, done, spent);
    for _ in io::stdin().lines() {
        let began = seconds();
        for event in &native[..done] {
            black_box(tree.search(event).unwrap());
        }
        println!("{}", (seconds() - began) / done as f64);
    }
}
