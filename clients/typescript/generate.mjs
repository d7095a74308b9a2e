// Writes src/schema.ts, the types of docs/openapi.json. `node generate.mjs FILE` writes another file.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const api = JSON.parse(readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"));
api.components.parameters["Idempotency-Key"].required = false; // the client sends one by itself
const types = astToString(await openapiTS(api, { alphabetize: false }));
writeFileSync(
  process.argv[2] ?? new URL("src/schema.ts", import.meta.url),
  "// Generated from docs/openapi.json by `make generate/clients`. Don't edit it.\n\n" + types,
);
