import { AesGcmKeyWrapping } from "@sallyport/crypto";
import { ChannelSecrets } from "../src/index.ts";
import { random } from "./fixture.ts";

const secretsOf = (masterKey: number) => new ChannelSecrets(new AesGcmKeyWrapping(new Uint8Array(32).fill(masterKey)));
const secrets = secretsOf(1);
const symmetricKey = random.bytes(32);
const ivPrefix = random.bytes(3);
const wrong = expect.objectContaining({ code: 314 });

const thrownBy = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

test("the key of a channel is valid in its own database only, however often it is unwrapped", () => {
  const channel = { wrappedKey: secrets.wrapKey("one", symmetricKey), ivPrefix };
  for (let round = 0; round < 2; round += 1) {
    expect(secrets.unwrapKey("one", channel)).toEqual(symmetricKey);
    expect(thrownBy(() => secrets.unwrapKey("other", channel))).toEqual(wrong);
    expect(thrownBy(() => secretsOf(2).unwrapKey("one", channel))).toEqual(wrong);
    expect(thrownBy(() => new ChannelSecrets(null).unwrapKey("one", channel))).toEqual(wrong);
  }
});

test("a sealed session id is valid in its own database only", () => {
  const sealed = secrets.sealSessionId("one", "id");
  expect(secrets.openSessionId("one", sealed)).toBe("id");
  expect([
    secrets.openSessionId("other", sealed),
    secretsOf(2).openSessionId("one", sealed),
    new ChannelSecrets(null).openSessionId("one", sealed),
  ]).toEqual([null, null, null]);
});
