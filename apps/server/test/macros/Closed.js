import { defineMacro } from "@sallyport/macros";

export default defineMacro({ run: () => "closed" });
