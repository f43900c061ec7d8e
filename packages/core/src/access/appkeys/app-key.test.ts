import { listingsOf } from "../../storage/index.ts";

test.each([
  ["https://app.example", ["https://app.example", "https://app.example:*"]],
  ["http://localhost:5173", ["http://localhost:5173", "http://localhost:*"]],
  ["http://[::1]:8080", ["http://[::1]:8080", "http://[::1]:*"]],
  ["capacitor://localhost", ["capacitor://localhost", "capacitor://localhost:*"]],
  // No browser sends these.
  ["null", ["null"]],
  ["http://localhost:*", []],
  ["http://localhost:80/path", ["http://localhost:80/path"]],
  ["http://evil.example/:localhost:1", ["http://evil.example/:localhost:1"]],
  ["http://user@localhost:1", ["http://user@localhost:1", "http://user@localhost:*"]],
])("%s can be listed as %j", (origin, listings) => {
  expect(listingsOf(origin)).toEqual(listings);
});
