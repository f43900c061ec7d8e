import { defineHook } from "@sallyport/macros";

/** Partners by the name they log in with: the MD5 of the password, and the user as whom they work. */
const partners = new Map([
  // "over the hills"
  ["northern depot", { digest: "524e7bfc3ade61826d510eba46038a36", userName: "reader", email: "depot@example.com" }],
]);

/** Accepts the partners of a list only. The accounts of custom users in the database no longer apply. */
export default defineHook({
  on: "xRestApi_Authenticate",
  async run(user, pass, appNames, { objects }) {
    const name = user.trim().toLowerCase();
    const partner = partners.get(name);
    if (partner === undefined || partner.digest !== pass || !appNames.includes("demo-app")) return null;
    const {
      "~Elements": [found],
    } = await objects.find("User", { where: { Name: partner.userName }, perPage: 1 });
    return found === undefined ? null : { userId: found["~ObjectID"], name, email: partner.email };
  },
});
