#!/usr/bin/env node
import { openAsBlob } from "node:fs";

// Sends a request like curl, for machines without it; supports only the options that the banner and the guides use.
const [, , ...words] = process.argv;
const headers = new Headers();
let url = "";
let method;
let body;
let after = "";
let showsHeaders = false;
let showsBody = true;
for (let index = 0; index < words.length; index += 1) {
  const next = () => words[(index += 1)];
  switch (words[index]) {
    case "-g":
    case "-sS":
      break;
    case "-H": {
      const [name, ...value] = next().split(":");
      headers.append(name, value.join(":").trim());
      break;
    }
    case "-F": {
      const [, field, path, name, type] = /^(\w+)=@([^;]+);filename=([^;]+);type=(.+)$/.exec(next());
      body ??= new FormData();
      body.append(field, await openAsBlob(path, { type }), name);
      break;
    }
    case "-d":
    case "--data-binary":
      body = next();
      break;
    case "-r":
      headers.append("range", `bytes=${next()}`);
      break;
    case "-X":
      method = next();
      break;
    case "-D":
      if (next() !== "-") throw new Error("Headers go to standard output only.");
      showsHeaders = true;
      break;
    case "-o":
      if (next() !== "/dev/null") throw new Error("Bodies go to standard output or nowhere.");
      showsBody = false;
      break;
    case "-w":
      after = next().replaceAll("\\n", "\n");
      break;
    default:
      if (words[index].startsWith("-") || url !== "") throw new Error(`unknown option ${words[index]}`);
      url = words[index];
  }
}
const answer = await fetch(url, { method: method ?? (body === undefined ? "GET" : "POST"), headers, body });
const head = showsHeaders
  ? `HTTP/1.1 ${answer.status} \r\n${[...answer.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`
  : "";
process.stdout.write(head + (showsBody ? await answer.text() : "") + after);
