// Makes the three renditions with sharp, one thread, as often as a line on standard input asks for it, and answers with
// the CPU seconds that it took. Usage: node sharp.cjs FILE.. ; asks: "pipelines EFFORT", "shared EFFORT", "files EFFORT".
const fs = require("fs");
const readline = require("readline");
const sharp = require("sharp");

const SIZES = [2048, 720, 256];
const photos = process.argv.slice(2).map((path) => fs.readFileSync(path));
const inside = (side) => ({ width: side, height: side, fit: "inside", withoutEnlargement: true });
sharp.concurrency(1);
sharp.cache(false);

// A pipeline for each size, as applications write it.
const pipelines = (photo, effort) =>
  Promise.all(SIZES.map((side) => sharp(photo).rotate().resize(inside(side)).webp({ quality: 80, effort }).toBuffer()));

// The largest size decoded once, and all three made of its pixels.
const shared = async (photo, effort) => {
  const { data, info } = await sharp(photo).rotate().resize(inside(SIZES[0])).raw().toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  return Promise.all(
    SIZES.map((side) => sharp(data, { raw }).resize(inside(side)).webp({ quality: 80, effort }).toBuffer()),
  );
};

const answer = async (ask, effort) => {
  const make = ask === "shared" ? shared : pipelines;
  const before = process.cpuUsage();
  const made = [];
  for (const photo of photos) made.push(await make(photo, Number(effort)));
  const { user, system } = process.cpuUsage(before);
  const files = ask === "files" ? made.map((sizes) => sizes.map((file) => file.toString("base64"))) : [];
  return { seconds: (user + system) / 1e6, files };
};

(async () => {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await answer(...line.trim().split(" "))));
  }
})();
