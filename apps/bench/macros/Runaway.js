import { defineMacro } from "@sallyport/macros";

export default defineMacro({
  access: "everyone",
  run() {
    for (;;);
  },
});
