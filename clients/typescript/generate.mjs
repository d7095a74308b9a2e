// Writes src/schema.ts, the types of docs/openapi.json. `node generate.mjs FILE` writes another file.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const api = JSON.parse(readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"));
api.components.parameters["Idempotency-Key"].required = false; // the client sends one by itself
// The headers of the operator are an option of the client.
for (const name of ["Holdfast-Tenant", "Holdfast-Actor"]) {
  delete api.components.parameters[name];
  for (const operation of Object.values(api.paths).flatMap((item) => Object.values(item))) {
    operation.parameters = operation.parameters?.filter((parameter) => parameter.$ref !== `#/components/parameters/${name}`);
  }
}
const types = astToString(await openapiTS(api, { alphabetize: false }));
writeFileSync(
  process.argv[2] ?? new URL("src/schema.ts", import.meta.url),
  "// Generated from docs/openapi.json by `make generate/clients`. Don't edit it.\n\n" + types,
);
