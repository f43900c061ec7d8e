import { areaOf } from "./profile.ts";

test.each([
  ["(garbage collector)", "garbage collector"],
  ["writev", "native code and system calls"],
  ["emit  node:events:471", "Node"],
  ["serve  packages/http/dist/server/create-application.js:16", "packages/http"],
  ["parseRow  pg/lib/result.js:63", "pg"],
])("%s is %s", (where, area) => {
  expect(areaOf(where)).toBe(area);
});
