export { thread } from "../threads/thread.ts";
