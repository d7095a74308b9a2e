import assert from "node:assert/strict";
import { test } from "node:test";
import { createHoldfast } from "../src/index.js";

test("actingFor names the tenant and who acts in each request", async () => {
  let sent = new Headers();
  const holdfast = createHoldfast({
    baseUrl: "http://holdfast.test",
    apiKey: "admin",
    actingFor: { tenant: "harbour", actor: "Ada, support" },
    fetch: async (request) => {
      sent = (request as Request).headers;
      return Response.json({});
    },
  });
  await holdfast.GET("/v1/tenant");
  assert.equal(sent.get("Holdfast-Tenant"), "harbour");
  assert.equal(sent.get("Holdfast-Actor"), "Ada, support");
  assert.equal(sent.get("Authorization"), "Bearer admin");
});
