import type { Database, PublicJwk } from "@sallyport/core";
import { DatabaseKeys } from "./database-keys.ts";

const key = (kid: string): PublicJwk => ({ kty: "EC", crv: "P-256", x: "x", y: "y", kid, use: "sig", alg: "ES256" });
const database = (alias: string) => ({ alias }) as Database;

/** Databases that answer as they are told, and how often they were asked. */
function keysOver(
  answers: { [alias: string]: () => Promise<PublicJwk[]> },
  options: { age?: number; patience?: number } = {},
) {
  let asked = 0;
  const published = ({ alias }: Database) => {
    asked += 1;
    return answers[alias]?.() ?? Promise.reject(new Error("There is no such database."));
  };
  const databases = new Map(Object.keys(answers).map((alias) => [alias, database(alias)]));
  return { keys: new DatabaseKeys({ databases, keyRings: { published }, ...options }), asked: () => asked };
}

test("are asked for once, however many ask at once and shortly afterwards", async () => {
  const { keys, asked } = keysOver({ one: async () => [key("a")], two: async () => [key("b")] });
  const sets = await Promise.all(Array.from({ length: 100 }, () => keys.read()));
  expect(new Set([...sets, await keys.read()]).size).toBe(1);
  expect(asked()).toBe(2);
});

test("are asked for anew when their time is over", async () => {
  const { keys, asked } = keysOver({ one: async () => [key(`key ${asked()}`)] }, { age: 0 });
  const ids = [];
  for (let round = 0; round < 3; round += 1) ids.push((await keys.read()).keys[0]?.kid);
  expect(ids).toEqual(["key 1", "key 2", "key 3"]);
});

test("stand in the set once, whoever has them", async () => {
  const { keys } = keysOver({ one: async () => [key("a"), key("b")], two: async () => [key("b"), key("c")] });
  expect(await keys.read()).toEqual({ keys: [key("a"), key("b"), key("c")], complete: true });
});

test("of a database that fails or says nothing are left out", async () => {
  const silent = () => new Promise<PublicJwk[]>(() => {});
  const failing = () => Promise.reject(new Error("It is down."));
  const { keys } = keysOver({ one: async () => [key("a")], silent, failing }, { patience: 1 });
  expect(await keys.read()).toEqual({ keys: [key("a")], complete: false });
});
