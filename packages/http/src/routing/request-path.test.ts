import { pathSegments } from "./route-matcher.ts";

test.each([
  ["/v1/login", ["v1", "login"]],
  ["//v1///login//", ["v1", "login"]],
  ["/", []],
  ["/v1/objects/Caf%C3%A9", ["v1", "objects", "Café"]],
  ["/v1/object/%41", ["v1", "object", "A"]],
  ["/v1/a+b", ["v1", "a+b"]],
])("%s has the segments %j", (path, segments) => {
  expect(pathSegments(path)).toEqual(segments);
});

test.each([
  "/v1/object/a%2Fb",
  "/v1/object/a%2fb",
  "/v1/object/a%5Cb",
  "/v1/object/a\\b",
  "/v1/./login",
  "/v1/../login",
  "/v1/%2e%2e/login",
  "/v1/login/..",
  "/v1;x=1/login",
  "/v1%3Bx/login",
  "/v1/%",
  "/v1/%zz",
  "/v1/%C3",
  "/v1/a%00b",
  "/v1/a%0Ab",
  "/v1/a%7Fb",
])("%s is refused", (path) => {
  expect(pathSegments(path)).toBeNull();
});
