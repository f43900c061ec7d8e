import { randomUUID } from "node:crypto";
import { SallyportClient } from "@sallyport/client";
import { NodeDigests } from "@sallyport/crypto";
import { AdministrationFixture, codeOf } from "./administration-fixture.ts";
import { call, tryLogIn } from "../client.ts";
import { onEngines, withoutLockout } from "../engines.ts";

/** As `openssl rand -hex 16` prints. */
const digits = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";
/** One password, as keyboards compose it, and as others do. */
const [composed, decomposed] = ["Zoë's fjörd 12", "Zoë's fjörd 12".normalize("NFD")];

const md5 = (text: string) => new NodeDigests().md5(text);

/** New passwords of tools: typed ones and named digests. */
onEngines(
  "new passwords of administrators",
  (server) => {
    let opened: AdministrationFixture;
    const admin = () => opened.admin;
    beforeAll(async () => {
      opened = await AdministrationFixture.open(server());
    });

    const clientLogIn = (user: string, password: string) =>
      codeOf(
        new SallyportClient({ baseUrl: server().url, appKey: "demo-app-key" }).logIn({
          mode: "session",
          user,
          password,
          appNames: ["demo-app"],
        }),
      );
    const sent = (user: string, pass: string) => tryLogIn(server(), user, { pass }).then(({ code }) => Number(code));
    const customSent = (user: string, pass: string) =>
      call(server(), "/v1/auth/df", { method: "POST", body: { user, pass, appNames: ["demo-app"] } }).then(({ code }) =>
        Number(code),
      );

    const create = async (input: { readonly password: string } | { readonly passwordDigest: string }) => {
      const name = `typed ${randomUUID()}`;
      const { userId } = await admin().users.create({ name, ...input });
      const { customUserId } = await admin().customUsers.create({ name, userId, ...input });
      return { name, userId, customUserId };
    };

    test("a password of 32 hexadecimal digits is hashed as clients do", async () => {
      const { name, userId, customUserId } = await create({ password: digits });
      expect(await clientLogIn(name, digits)).toBe(0);
      expect(await customSent(name, md5(digits))).toBe(0);
      // On the wire, 32 hexadecimal digits are the digest.
      for (const each of [sent, customSent]) expect(await each(name, digits)).toBe(302);
      await admin().users.setPassword(userId, digits.toUpperCase());
      await admin().customUsers.setPassword(customUserId, digits.toUpperCase());
      for (const each of [sent, customSent]) {
        expect(await each(name, md5(digits))).toBe(302);
        expect(await each(name, md5(digits.toUpperCase()))).toBe(0);
      }
    });

    test("a digest is imported only under its name", async () => {
      const { name, userId, customUserId } = await create({ passwordDigest: md5("of another service").toUpperCase() });
      expect(await clientLogIn(name, "of another service")).toBe(0);
      expect(await customSent(name, "of another service")).toBe(0);
      await admin().users.setPassword(userId, { passwordDigest: md5("of a third one") });
      await admin().customUsers.setPassword(customUserId, { passwordDigest: md5("of a third one") });
      for (const each of [sent, customSent]) expect(await each(name, "of a third one")).toBe(0);
    });

    test.each([
      ["both", { password: "a long password", passwordDigest: md5("a") }, 307],
      ["neither", {}, 307],
      ["31 digits", { passwordDigest: digits.slice(1) }, 307],
      ["other characters", { passwordDigest: `${digits.slice(1)}g` }, 307],
      ["the digest of a breached password", { passwordDigest: md5("password123") }, 320],
      ["a breached password", { password: "password123" }, 320],
    ])("%s is refused", async (_, input, code) => {
      const { userId, customUserId } = await create({ password: "a long password" });
      const name = `typed ${randomUUID()}`;
      for (const attempt of [
        () => admin().users.create({ name, ...input }),
        () => admin().customUsers.create({ name, userId, ...input }),
        () => admin().users.setPassword(userId, input),
        () => admin().customUsers.setPassword(customUserId, input),
      ])
        expect(await codeOf(attempt())).toBe(code);
    });

    test.each([
      ["composed", composed],
      ["decomposed", decomposed],
    ])("a %s password opens for every way to type it", async (_, password) => {
      const { name } = await create({ password });
      for (const typed of [composed, decomposed]) {
        expect(await clientLogIn(name, typed)).toBe(0);
        for (const each of [sent, customSent]) expect(await each(name, typed)).toBe(0);
      }
      expect(await sent(name, md5(decomposed))).toBe(302);
    });

    test("plain text opens with the secret of a client that does not normalize", async () => {
      const { name } = await create({ passwordDigest: md5(decomposed) });
      for (const each of [sent, customSent]) {
        expect(await each(name, decomposed)).toBe(0);
        expect(await each(name, composed)).toBe(302);
      }
    });

    test("a changed password opens for every way to type it", async () => {
      const { name } = await create({ passwordDigest: md5(decomposed) });
      const { body } = await tryLogIn(server(), name, { pass: decomposed });
      const change = (oldPassword: string, newPassword: string) =>
        call(server(), "/v1/changePassword", {
          method: "POST",
          sessionId: body.data?.sessionId,
          body: { oldPassword, newPassword },
        }).then(({ code }) => code);
      expect(await change(decomposed, composed)).toBe("321");
      expect(await change(decomposed, `${decomposed}3`)).toBe("0");
      for (const typed of [composed, decomposed]) expect(await sent(name, `${typed}3`)).toBe(0);
      expect(await change(`${decomposed}3`, "another password")).toBe("0");
    });
  },
  { environment: withoutLockout, count: 2 },
);
