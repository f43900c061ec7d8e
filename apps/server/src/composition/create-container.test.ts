import { pino } from "pino";
import { loadConfiguration } from "../configuration/index.ts";
import { createContainer } from "./create-container.ts";
import { identifiers } from "./identifiers.ts";

const configuration = loadConfiguration({
  content: { databases: [{ storage: { engine: "memory" } }, { alias: "later" }] },
  environment: { ARGON2_MEMORY_COST: "8", ARGON2_TIME_COST: "1" },
});
const container = createContainer(configuration, pino({ enabled: false }));
afterAll(async () => container.get(identifiers.engines).close());

test.each(Object.entries(identifiers))("%s can be made, and is made once", async (_name, identifier) => {
  const made: unknown = await container.getAsync<unknown>(identifier);
  expect(made).toBeDefined();
  expect(await container.getAsync<unknown>(identifier)).toBe(made);
});
