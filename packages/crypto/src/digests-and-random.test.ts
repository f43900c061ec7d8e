import { NodeDigests, NodeRandomSource } from "./digests-and-random.ts";

const digests = new NodeDigests();

test.each([
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "d41d8cd98f00b204e9800998ecf8427e"],
  ["demo", "2a97516c354b68848cdbd8f54a226a0a55b21ed138e207ad6c5cbb9c00aa5aea", "fe01ce2a7fbac8fafaed7c982a04e229"],
  ["Jürgen", "c58fb672c97fba72a3a3f7f01b564d5602f721bd80ff899c0c7ccc187fa59817", "ebaf432fe1d5fc33effaa72d7abd3e3b"],
])("digests %j", (text, sha256, md5) => {
  expect(digests.sha256(text)).toBe(sha256);
  expect(digests.md5(text)).toBe(md5);
});

test("a random secret has 256 bits as base64url, and is never the same", () => {
  const random = new NodeRandomSource();
  const secrets = Array.from({ length: 1_000 }, () => random.secret());
  for (const secret of secrets) expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(new Set(secrets).size).toBe(secrets.length);
});
