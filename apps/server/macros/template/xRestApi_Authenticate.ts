import { defineHook } from "@sallyport/macros";

/** Decides who custom users are, in the place of their accounts. Only a file named xRestApi_Authenticate does. */
export default defineHook({
  on: "xRestApi_Authenticate",
  // null refuses; a user says as whom they work: { userId, name?, email? }. pass is mostly the MD5 of the password.
  async run(user, pass, appNames, { objects }) {
    const {
      "~Elements": [found],
    } = await objects.find("User", { where: { Name: user, Description: pass }, perPage: 1 });
    return found === undefined ? null : { userId: found["~ObjectID"] };
  },
});
