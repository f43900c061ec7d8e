import { defineHook } from "@sallyport/macros";

/** Adds to what clients get of each object. */
export default defineHook({
  on: "xRestApi_BuildSerialization",
  classes: ["Invoice"],
  // obj is the object with all that the caller may see, objectJson what is answered of it.
  run(obj, objectJson) {
    objectJson.Attributes = Object.keys(obj).filter((name) => !name.startsWith("~")).length;
  },
});
