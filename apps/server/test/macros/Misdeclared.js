import { defineMacro } from "@sallyport/macros";

export default defineMacro({ access: "everybody", run: () => null });
