#!/usr/bin/env node
// Sends a request as curl would, for machines that have none; knows the options that the banner uses, and no others.
const [, , ...words] = process.argv;
const headers = new Headers();
let url = "";
let method;
let body;
let after = "";
for (let index = 0; index < words.length; index += 1) {
  const next = () => words[(index += 1)];
  switch (words[index]) {
    case "-sS":
      break;
    case "-H": {
      const [name, ...value] = next().split(":");
      headers.append(name, value.join(":").trim());
      break;
    }
    case "-d":
      body = next();
      break;
    case "-X":
      method = next();
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
process.stdout.write((await answer.text()) + after);
