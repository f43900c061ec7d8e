/**
 * What each cryptographic operation costs, in microseconds: the median of several rounds. Of what works beside the event loop,
 * it says besides how much of it the loop was busy.
 *
 *     npm run build && node packages/crypto/bench/costs.mjs
 */
import { constants, createPublicKey, publicEncrypt, randomBytes } from "node:crypto";
import { performance } from "node:perf_hooks";
import {
  AesCbcHybridCipher,
  AesCtrChannelCipher,
  AesGcmKeyWrapping,
  ForgeClientKeyParser,
  JwtTokenSigner,
  JwtTokenVerifier,
  NodeServerKeys,
  RsaAnswerCipher,
  RsaCredentialsCipher,
} from "@sallyport/crypto";
import { pemFile } from "@sallyport/test-kit/crypto/key-files";

const rounds = 11;
const keys = new NodeServerKeys();
const load = (kind, name) => keys.import(kind, pemFile(name)).pair;
const rsa = { 2048: load("rsa", "rsa-2048"), 3072: load("rsa", "rsa-3072"), 4096: load("rsa", "rsa-4096") };
const ec = load("jwt", "ec-p256");

const credentials = new RsaCredentialsCipher({ threads: 1 });
const answers = new RsaAnswerCipher();
const hybrid = new AesCbcHybridCipher(credentials);
const channel = new AesCtrChannelCipher();
const parser = new ForgeClientKeyParser();
const wrapping = new AesGcmKeyWrapping(randomBytes(32));
const [signer, verifier] = [new JwtTokenSigner(), new JwtTokenVerifier()];

function sealed(bits, blocks) {
  const options = {
    key: createPublicKey(rsa[bits].publicKey),
    padding: constants.RSA_PKCS1_OAEP_PADDING,
    oaepHash: "sha256",
  };
  return Buffer.concat(Array.from({ length: blocks }, () => publicEncrypt(options, randomBytes(100)))).toString(
    "base64",
  );
}

async function measure(name, times, work) {
  for (let warm = 0; warm < Math.max(3, times / 5); warm++) await work();
  const costs = [];
  const before = performance.eventLoopUtilization();
  for (let round = 0; round < rounds; round++) {
    const started = process.hrtime.bigint();
    for (let time = 0; time < times; time++) await work();
    costs.push(Number(process.hrtime.bigint() - started) / times / 1_000);
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
  const { active } = performance.eventLoopUtilization(before);
  const median = costs.toSorted((a, b) => a - b)[Math.floor(rounds / 2)];
  console.log(`${name.padEnd(52)} ${median.toFixed(median < 100 ? 1 : 0).padStart(9)} µs`);
  return (active * 1_000) / times / rounds;
}

for (const bits of [2048, 3072, 4096]) {
  for (const blocks of [1, 16]) {
    const text = sealed(bits, blocks);
    const busy = await measure(`open credentials, ${bits} bits, ${blocks} blocks`, 5, () =>
      credentials.open(text, [rsa[bits]]),
    );
    console.log(`${"  of which the event loop was busy".padEnd(52)} ${busy.toFixed(0).padStart(9)} µs`);
  }
}
for (const bits of [2048, 4096]) {
  const client = parser.parse(rsa[bits].publicKey, []);
  const envelope = randomBytes(2_000);
  for (const padding of ["OAEP-SHA-256", "OAEP-SHA-1", "PKCS1-v1_5"]) {
    await measure(`seal an answer of 2,000 bytes, ${bits} bits, ${padding}`, 10, () =>
      answers.seal(client, padding, envelope),
    );
  }
  await measure(`seal a hybrid answer of 2,000 bytes, ${bits} bits`, 50, () => hybrid.seal(client, envelope));
}
await measure("parse a client's key, PEM", 100, () => parser.parse(rsa[2048].publicKey, [rsa[4096].keyId]));
await measure("parse a client's key, refused", 100, () => parser.parse(randomBytes(294).toString("base64"), []));
for (const [name, size] of [
  ["1 KiB", 1_024],
  ["1 MiB", 1_048_576],
]) {
  const [key, block, message] = [randomBytes(32), Buffer.alloc(16), randomBytes(size)];
  await measure(`encrypt a message of ${name}`, 20, () => channel.apply(key, block, message));
}
const secret = randomBytes(32);
const wrapped = wrapping.wrap(secret, "secure token|");
await measure("wrap 32 bytes", 500, () => wrapping.wrap(secret, "secure token|"));
await measure("unwrap 32 bytes", 500, () => wrapping.unwrap(wrapped, "secure token|"));
const now = Math.floor(Date.now() / 1_000);
const claims = { iss: "issuer", aud: "database", sub: "42", sid: "session", jti: "token", iat: now, exp: now + 600 };
const token = signer.sign(claims, ec);
const expected = { keys: new Map([[ec.keyId, ec]]), issuer: "issuer", audience: "database", now };
await measure("sign a token", 100, () => signer.sign(claims, ec));
await measure("verify a token", 100, () => verifier.verify(token, expected));
await measure("refuse a token with a wrong signature", 100, () =>
  verifier.verify(`${token.slice(0, -10)}AAAAAAAAAA`, expected),
);
await measure("refuse text that is not a token", 500, () => verifier.verify("no token", expected));
await measure("generate a key for tokens", 5, () => keys.generate({ kind: "jwt" }));
await credentials.close();
