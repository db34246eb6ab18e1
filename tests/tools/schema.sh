#!/bin/sh
# The JSON report fits its schema, as its summary does, and the schema refuses wrong reports.
. "${srcdir:-.}/tests/tools/expect.sh"
python3 -c 'import jsonschema' 2>/dev/null || { echo 'SKIPPED: python3-jsonschema is not installed'; exit 77; }
cat > "$scratch/validate.py" <<'END'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
for path in sys.argv[2:]:
    jsonschema.validate(json.load(open(path)), schema)
print("valid")
END
schema=$source/man/marshal-report.schema.json
"$marshal" report --json "$source/tests/tools/samples/whole.json" > "$scratch/whole.json"
tests/tools/make_reports partial "$source/tests/tools/samples/whole.json" "$scratch" 0 2 || exit 99
"$marshal" report --json "$scratch/rank0.json" "$scratch/rank2.json" > "$scratch/partial.json"
expect 0 valid python3 "$scratch/validate.py" "$schema" "$scratch/whole.json" "$scratch/partial.json"

tests/tools/make_reports summaries "$scratch/site" 20 > /dev/null
expect 0 valid python3 "$scratch/validate.py" "$source/man/marshal-summary.schema.json" "$scratch"/site/*/*/*/*.summary.json
expect 1 ValidationError python3 "$scratch/validate.py" "$source/man/marshal-summary.schema.json" "$scratch/whole.json"

# The manual names the schemas' members, and no others.
cat > "$scratch/members.py" <<'END'
import json, re, sys
names = set()
def walk(schema):
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key == "properties": names.update(value)
            walk(value)
    elif isinstance(schema, list):
        for value in schema: walk(value)
for schema in sys.argv[2:]: walk(json.load(open(schema)))
manual = set()
for line in open(sys.argv[1]):
    found = re.match(r"\.(?:It )?Va (.*)", line)
    if found: manual.update(word for word in re.split(r"[ ,.:;]+", found.group(1).split(" Pq ")[0].strip()) if word)
wrong = sorted(names ^ manual)
print("valid" if not wrong else f"in one of schema and manual only: {wrong}")
sys.exit(bool(wrong))
END
expect 0 valid python3 "$scratch/members.py" "$source/man/marshal-report.5" "$schema" "$source/man/marshal-summary.schema.json"

for damage in 's/"schema_version": 6/"schema_version": 1/' 's/"ranks": 8/"ranks": -8/' 's/"jsum"/"gsum"/' 's/"mapper": "search"/"mapper": 3/'; do
  sed "$damage" "$scratch/whole.json" > "$scratch/damaged.json"
  expect 1 ValidationError python3 "$scratch/validate.py" "$schema" "$scratch/damaged.json"
done
finish
