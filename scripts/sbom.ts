/**
 * `npm run sbom`: the packages of the server and the dashboard as a CycloneDX document, by npm and package-lock.json; see
 * docs/packages.md. `--server` leaves out what only the dashboard needs.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Accepted } from './packages/accepted.ts'
import { packagesOf, readLockFile } from './packages/lock-file.ts'
import { type Bom, bomOf } from './packages/sbom.ts'

const root = join(import.meta.dirname, '..')
const { values } = parseArgs({ options: { server: { type: 'boolean', default: false } } })

function bomOfNpm(): Bom {
  const options = ['--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only']
  const { error, status, stdout, stderr } = spawnSync('npm', ['sbom', ...options], {
    ...{ cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, shell: process.platform === 'win32' },
  })
  if (error !== undefined) throw new Error(`npm could not be started (${error.message})`)
  if (status !== 0) throw new Error(`npm sbom, which npm has from 9.5 on, ended with ${status}: ${stderr}`)
  return JSON.parse(stdout) as Bom
}

const readJson = <T>(name: string): T => JSON.parse(readFileSync(join(root, name), 'utf8')) as T

try {
  const uses: readonly string[] = values.server ? ['runtime'] : ['runtime', 'dashboard']
  const packages = packagesOf(readLockFile(join(root, 'package-lock.json'))).filter(({ use }) => uses.includes(use))
  const { name } = readJson<{ readonly name: string }>('package.json')
  const bom = bomOf(bomOfNpm(), name, packages, readJson<Accepted>('accepted-packages.json'))
  console.log(JSON.stringify(bom, null, 2))
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
