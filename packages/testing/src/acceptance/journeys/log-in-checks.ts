import { expect } from "../../matchers/expect.ts";
import { sessionEndedCode } from "../../modes.ts";
import { expectRefusal, inSection, type Journey } from "./journey.ts";

/** Sessions of one mode. */
export const logInChecks: Journey = (mode) => {
  const check = inSection("log-in", mode);
  return [
    check("opens a session and ends it", async (visit) => {
      const client = await visit.logIn(mode);
      const { session } = client;
      expect(await client.checkSession()).toBe(true);
      await client.logOut();
      const headers = (await session?.seal({ headers: { appkey: visit.target.appKey } }))?.headers ?? {};
      const { url, alias } = visit.target;
      const answer = await fetch(`${url}${alias === "" ? "" : `/${alias}`}/_CheckSession`, { headers });
      expect(await answer.json()).toMatchObject({ status: { internalStatus: sessionEndedCode[mode] } });
    }),
    check("refuses a wrong password", async (visit) => {
      await expectRefusal(visit.logIn(mode, `${visit.target.password} `), 302);
      // A success forgives the failure.
      await (await visit.logIn(mode)).logOut();
    }),
  ];
};
