export { thread } from "../worker/worker.ts";
