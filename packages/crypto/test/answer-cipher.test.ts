import { createPrivateKey, createPublicKey, randomBytes } from "node:crypto";
import { rsaPaddings } from "@sallyport/core";
import { ForgeClientKeyParser, RsaAnswerCipher, RsaCredentialsCipher } from "@sallyport/crypto";
import fc from "fast-check";
import { cut, decryptOaep } from "./rsa-blocks.ts";
import { clientKeyOf, pairFromJwk, pemFile, privateKeyOf, serverPair } from "./stored-keys.ts";
import { paddingNames, secureMode } from "./vectors.ts";

const answers = new RsaAnswerCipher();
// A client is a server that opens answers: the one implementation of v1.5 that Node leaves to us.
const client = new RsaCredentialsCipher({ threads: 1 });
afterAll(() => client.close());

test.each(secureMode.answers)(
  "the vector for $clientKey in $padding is read as we read ours",
  async ({ clientKey, padding, plain, base64 }) => {
    const pair = pairFromJwk(secureMode.clientKeys[clientKey].jwk);
    const opened = await client.open(base64, [pair]);
    expect(opened?.padding).toBe(paddingNames[padding]);
    expect(Buffer.from(opened?.plain ?? []).toString()).toBe(plain);
    const sealed = await answers.seal(clientKeyOf(pair), paddingNames[padding], Buffer.from(plain));
    expect(sealed).toHaveLength(base64.length);
    const again = await client.open(sealed, [pair]);
    expect(again).toMatchObject({ padding: paddingNames[padding], plain: opened?.plain });
  },
);

test("what is sealed, Node opens", async () => {
  for (const name of ["rsa-2048", "rsa-3072", "rsa-4096"] as const) {
    const pair = serverPair(name);
    for (const padding of ["OAEP-SHA-256", "OAEP-SHA-1"] as const) {
      const plain = randomBytes(1_000);
      const sealed = Buffer.from(await answers.seal(clientKeyOf(pair), padding, plain), "base64");
      expect(decryptOaep(privateKeyOf(pair), padding, sealed).equals(plain)).toBe(true);
    }
  }
});

test("any length, in as few blocks as the padding allows", async () => {
  const pair = serverPair("rsa-2048");
  const capacities = { "OAEP-SHA-256": 190, "OAEP-SHA-1": 214, "PKCS1-v1_5": 245 };
  const lengths = fc.oneof(fc.nat(1_200), fc.constantFrom(0, 1, 189, 190, 191, 213, 214, 215, 244, 245, 246, 380, 490));
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...rsaPaddings), lengths, async (padding, length) => {
      const plain = randomBytes(length);
      const sealed = await answers.seal(clientKeyOf(pair), padding, plain);
      const blocks = cut(Buffer.from(sealed, "base64"), 256);
      expect(blocks).toHaveLength(Math.max(1, Math.ceil(length / capacities[padding])));
      const opened = await client.open(sealed, [pair]);
      expect(Buffer.from(opened?.plain ?? []).equals(plain)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("is bare base64, and different every time", async () => {
  const key = clientKeyOf(serverPair("rsa-2048"));
  for (const padding of rsaPaddings) {
    const [one, two] = [await answers.seal(key, padding, Buffer.of(1)), await answers.seal(key, padding, Buffer.of(1))];
    expect(one).toMatch(/^[A-Za-z0-9+/]{342}==$/);
    expect(one).not.toBe(two);
  }
});

test("serves a key whose size is no whole number of bytes", async () => {
  const privateKey = createPrivateKey(pemFile("rsa-2052"));
  const publicKey = createPublicKey(privateKey);
  const parsed = new ForgeClientKeyParser().parse(publicKey.export({ type: "spki", format: "pem" }) as string, []);
  if (parsed === undefined) throw new Error("not parsed");
  const plain = randomBytes(500);
  const sealed = Buffer.from(await answers.seal(parsed, "OAEP-SHA-256", plain), "base64");
  expect(sealed).toHaveLength(3 * 257);
  expect(decryptOaep(privateKey, "OAEP-SHA-256", sealed).equals(plain)).toBe(true);
});

test("lets others work between the blocks of a long answer", async () => {
  let turns = 0;
  const count = () => {
    turns += 1;
    setImmediate(count).unref();
  };
  setImmediate(count).unref();
  const before = turns;
  await answers.seal(clientKeyOf(serverPair("rsa-4096")), "OAEP-SHA-256", randomBytes(100 * 446));
  expect(turns - before).toBeGreaterThanOrEqual(12);
});
