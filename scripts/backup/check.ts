/** Checks backups: reads every byte, and compares hashes and counts with those of when they were made. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type Backup, contentIn, storeIn } from './backups.ts'
import { hashOf } from './files.ts'
import { contentsNamedBy, damageOf, type FileFacts, factsOf, withCopy } from './sqlite-file.ts'

/** The damage to the backups in a folder, in words; none when all are whole. */
export async function problemsOf(root: string, backups: readonly Backup[]): Promise<readonly string[]> {
  const problems: string[] = []
  const known = new Map<string, string | undefined>()
  for (const backup of backups) {
    const files = await fileProblems(backup)
    problems.push(...files)
    // A damaged file cannot tell which contents it names.
    if (files.length === 0) problems.push(...(await contentProblems(root, backup, known)))
  }
  return [...new Set(problems)]
}

async function fileProblems({ folder, manifest }: Backup): Promise<readonly string[]> {
  const found: string[] = []
  for (const [name, facts] of Object.entries(manifest.files)) {
    const problem = await fileProblem(join(folder, name), facts)
    if (problem !== undefined) found.push(`${join(folder, name)} ${problem}`)
  }
  return found
}

/** A difference of a file from its facts, in words that follow its name. */
export async function fileProblem(path: string, facts: FileFacts): Promise<string | undefined> {
  if (!existsSync(path)) return 'is missing'
  if ((await hashOf(path)) !== facts.sha256) return 'is damaged: it has not the hash that it was written with'
  if (!isDeepStrictEqual(await factsOf(path), facts)) return 'has not as many rows as it was written with'
  const damage = withCopy(path, damageOf)
  return damage && `is damaged: ${damage}`
}

/** @param known the problem of each content that was read, by its SHA-256 */
async function contentProblems(
  root: string,
  backup: Backup,
  known: Map<string, string | undefined>,
): Promise<readonly string[]> {
  const { missing, contents } = backup.manifest
  const found = missing.map((sha256) => `${backup.folder}: the store itself had no whole content ${sha256}`)
  let count = 0
  for await (const { sha256 } of contentsNamedBy(storeIn(backup))) {
    count += 1
    if (missing.includes(sha256)) continue
    if (!known.has(sha256)) known.set(sha256, await contentProblem(contentIn(root, sha256), sha256))
    const problem = known.get(sha256)
    if (problem !== undefined) found.push(problem)
  }
  if (count !== contents.count) found.push(`${backup.folder} names ${count} contents, not ${contents.count}`)
  return found
}

async function contentProblem(path: string, sha256: string): Promise<string | undefined> {
  if (!existsSync(path)) return `${path} is missing`
  if ((await hashOf(path)) === sha256) return undefined
  return `${path} is damaged; remove it, and the next backup copies it again if the store still has it`
}
