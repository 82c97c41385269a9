/**
 * `npm run check`: comments begin with a noun phrase or a verb, so that each can be read by itself. Prints each comment that
 * does not, with its place, and ends with 1.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const FILES = '{bench,dashboard,examples,scripts,src,test}/**/*.{ts,tsx}'

/** The beginning of a comment that has no subject of its own. */
const SUBJECTLESS = /(?:\/\*\*\s*(?:\*\s*)?|^[ \t]*\/\/ )(?:What|Of|Those|That of|Whoever|Whose|Who|Where it)\b.*/gm

const found = globSync(FILES, { cwd: ROOT, exclude: (path) => path.includes('node_modules') }).flatMap((file) => {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(SUBJECTLESS)].map(({ 0: comment, index }) => {
    const line = text.slice(0, index).split('\n').length
    return `${file}:${line}: ${comment.replace(/\s+/g, ' ').trim()}`
  })
})

if (found.length > 0) {
  console.log(
    `${found.join('\n')}\nBegin each comment with a noun phrase or a verb (CONTRIBUTING.md, "How the code reads").`,
  )
  process.exitCode = 1
}
