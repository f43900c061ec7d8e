import type { IncomingMessage } from "node:http";
import { presentedCredentials } from "./credentials.ts";

const read = (...rawHeaders: string[]) => presentedCredentials({ rawHeaders } as IncomingMessage);

test.each(["appkey", "AppKey", "APPKEY"])("finds %s in any case", (name) => {
  expect(read("Host", "x", name, "k").appKey).toEqual({ value: "k", conflict: false });
});

test("finds each credential in its own header only", () => {
  const { sessionId, authorization, secureToken, appKey } = read(
    "SessionId",
    "s",
    "Authorization",
    "a",
    "Secure-Token",
    "t",
  );
  expect([sessionId.value, authorization.value, secureToken.value, appKey.value]).toEqual(["s", "a", "t", null]);
});

test("counts equal values once and never picks from different ones", () => {
  expect(read("sessionid", "s", "sessionId", "s").sessionId).toEqual({ value: "s", conflict: false });
  expect(read("sessionid", "s", "sessionId", "t").sessionId.conflict).toBe(true);
  expect(read("sessionid", "s", "sessionId", "t", "sessionid", "s").sessionId.conflict).toBe(true);
  expect(read("sessionid", "", "sessionId", "t").sessionId.conflict).toBe(true);
});
