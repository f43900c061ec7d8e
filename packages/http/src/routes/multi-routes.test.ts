import { routeTable } from "./route-table.ts";
import type { UseCases } from "./use-cases.ts";

// Only the declarations of the routes are read, so no use case is ever called.
const routes = routeTable({} as UseCases);
const multi = routes.find(({ operation }) => operation === "multi");

test("what is no request of a session stands alone, but for the service check", () => {
  const others = routes.filter(({ access, standsAlone }) => access !== "session" && standsAlone !== true);
  expect(others.map(({ operation }) => operation)).toEqual(["checkService"]);
});

test("what has no result, what is encrypted by itself, what ends the session and what is many requests stands alone", () => {
  const odd = routes.filter(
    ({ operation, isDocument, sealed }) =>
      isDocument === true || sealed !== undefined || operation === "logOut" || operation === "multi",
  );
  expect(odd.length).toBeGreaterThan(3);
  expect(odd.filter(({ standsAlone }) => standsAlone !== true)).toEqual([]);
});

test("what writes classes says that it changes the model", () => {
  const changing = routes.filter(({ path, method }) => path.startsWith("/v1/model/") && method !== "GET");
  expect(changing.map(({ changesModel }) => changesModel)).toEqual([true, true]);
});

test("a multi request declares what its items can fail with, because together they fail as one", () => {
  const inside = routes.filter(({ standsAlone, changesModel }) => standsAlone !== true && changesModel !== true);
  expect(new Set(multi?.errors)).toEqual(new Set(inside.flatMap(({ errors }) => errors)));
});
