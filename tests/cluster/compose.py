"""deploy/compose.yaml against the Compose specification. Needs compose-spec of PyPI."""
import re, sys

import compose_spec

# The library reads values, not how they are filled in from the environment: each takes its default, or a word.
filled = re.sub(r"\$\{(\w+)(?::([-?])([^}]*))?\}", lambda m: m[3] if m[2] == "-" else "word", open(sys.argv[1]).read())
options = compose_spec.PyOptions()
options.apply_merge = True
compose = options.from_yaml(filled)
compose.validate()
names = compose.service_names
assert len(names() if callable(names) else names) == 6
print("compose.yaml is of the specification")
