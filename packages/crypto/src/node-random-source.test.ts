import { NodeRandomSource } from "./node-random-source.ts";

test("gives 256 bits as base64url, never the same", () => {
  const random = new NodeRandomSource();
  const secrets = Array.from({ length: 1_000 }, () => random.secret());
  for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(new Set(secrets).size).toBe(secrets.length);
});
