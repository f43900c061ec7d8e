export default { name: "NoStorage", create: () => Promise.reject(new Error("no room")) };
