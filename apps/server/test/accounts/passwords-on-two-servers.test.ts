import type { RunningServer } from "../../src/index.ts";
import { call, callIn, checkSessionIn as checkSession } from "../client.ts";
import { onEngines, withoutLockout } from "../engines.ts";
import { openSession } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { resetMail } from "./reset-mail.ts";
import { storedServerKeys } from "../secure/stored-keys.ts";
import { newUser } from "../new-user.ts";

const environment = { ...storedServerKeys, ...withoutLockout };
const password = "the first password";

onEngines(
  "passwords on two servers with one database",
  (_server, { servers, postgres }) => {
    const at = (index: number) => servers()[index % 2] as RunningServer;

    test("one of several concurrent changes on both succeeds, and both end the same sessions at once", async () => {
      const { name } = await newUser(at(0));
      const [own, other] = [
        await openSession(at(0), "session", name, { password }),
        await openSession(at(1), "token", name, { password }),
      ];
      const codes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          callIn(at(index), own, "/v1/changePassword", {
            method: "POST",
            body: { oldPassword: password, newPassword: `password ${index}` },
          }).then(({ code }) => code),
        ),
      );
      expect(codes.toSorted()).toEqual(["0", ...Array.from({ length: 19 }, () => "339")]);
      for (const index of [0, 1])
        expect([await checkSession(at(index), own), await checkSession(at(index), other)]).toEqual(["0", "203"]);
    });

    test("one of several concurrent uses of a token on both sets the password, and all sessions end on both", async () => {
      const { name } = await newUser(at(0));
      const session = await openSession(at(1), "session", name, { password });
      const prepared = await resetMail.prepare(repositoriesOf(at(0)), { user: name });
      const codes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          call(at(index), "/v1/confirmResetPassword", {
            method: "POST",
            body: { resetPasswordToken: prepared?.token, newPassword: `password ${index}` },
          }).then(({ code }) => code),
        ),
      );
      expect(codes.toSorted()).toEqual(["0", ...Array.from({ length: 19 }, () => "328")]);
      expect([await checkSession(at(0), session), await checkSession(at(1), session)]).toEqual(["201", "201"]);
    });

    test("the storage contains neither token nor password", async () => {
      const { name } = await newUser(at(0));
      const prepared = await resetMail.prepare(repositoriesOf(at(0)), { user: name });
      const session = await openSession(at(0), "session", name, { password });
      await callIn(at(0), session, "/v1/changePassword", {
        method: "POST",
        body: { oldPassword: password, newPassword: "a password to look for" },
      });
      const tables = ["records", "accounts", "audit", "audit_tallies"];
      const rows = await Promise.all(
        tables.map((table) => postgres().sql.query(`select t::text as row from sallyport_demo.${table} t`)),
      );
      const stored = JSON.stringify(rows.map((result) => result.rows));
      expect(stored).toContain("$argon2id$");
      for (const secret of [prepared?.token ?? "?", "a password to look for", password])
        expect(stored).not.toContain(secret);
    });
  },
  { environment, on: ["Postgres"], count: 2 },
);
