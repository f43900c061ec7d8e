import { defineMacro } from "@sallyport/macros";

export default defineMacro<{ message: string; result?: unknown }>({
  access: "everyone",
  run({ input, setStatusMessage }) {
    setStatusMessage(input.message);
    return input.result;
  },
});
