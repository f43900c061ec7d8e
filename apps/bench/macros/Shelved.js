import { defineHook } from "@sallyport/macros";

export default defineHook({
  on: "xRestApi_BuildSerialization",
  classes: ["Contact"],
  run(obj, objectJson) {
    objectJson.Label = `${obj.Name} on ${obj.Shelf}`;
  },
});
