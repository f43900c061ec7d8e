import { defineHook } from "@sallyport/macros";

/** Refuses, leaves the default user, or maps a user, and leaves a trace in the object. */
export default defineHook({
  async run(userObject, providerConfig, userUuid, name, surname, email, context) {
    const found = await context.objects.find("User", { where: { Name: "reader" } });
    const [user] = found["~Elements"];
    await context.objects.update(user["~ObjectID"], {
      Description: [providerConfig.type, userUuid, name, surname, context.caller.userId, context.caller.appNames].join(
        " ",
      ),
    });
    if (email.startsWith("ben")) return -1;
    if (email.startsWith("chloe")) return 0;
    await context.objects.update(userObject["~ObjectID"], { User: user["~ObjectID"] });
    return 1;
  },
});
