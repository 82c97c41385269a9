/** `npm run sbom`: a CycloneDX document of what is installed in production. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { packagesOf, readLockFile } from '../../scripts/packages/lock-file.ts'
import { type Bom, purlOf } from '../../scripts/packages/sbom.ts'

const ROOT = join(import.meta.dirname, '../..')
const packages = packagesOf(readLockFile(join(ROOT, 'package-lock.json')))

function sbom(...args: readonly string[]): Bom {
  const command = ['--disable-warning=ExperimentalWarning', join(ROOT, 'scripts/sbom.ts'), ...args]
  const { stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

const purlsOf = (uses: readonly string[]): readonly string[] =>
  [...new Set(packages.filter(({ use }) => uses.includes(use)).map(purlOf))].toSorted()

describe.each([
  ['of the server and the dashboard', [], ['runtime', 'dashboard']],
  ['of the server alone', ['--server'], ['runtime']],
] as const)('the document %s', (_name, args, uses) => {
  const bom = sbom(...args)

  test('has each package that is installed in production, and none for development only', () => {
    expect([...new Set(bom.components.map(({ purl }) => purl))].toSorted()).toEqual(purlsOf(uses))
  })

  test('says the licence and the hash of each, and what needs it', () => {
    expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'sandbox-emr' } } })
    for (const component of bom.components) {
      expect(component).toMatchObject({
        hashes: [{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }],
      })
      const [licence = {}] = component.licenses ?? []
      expect(licence).toEqual(
        'expression' in licence
          ? { expression: expect.stringMatching(/ (AND|OR) /) }
          : {
              license: {
                [component.name.startsWith('@lhncbc') || component.name === 'fhirpath' ? 'name' : 'id']:
                  expect.stringMatching(/^[\w.-]+$/),
              },
            },
      )
    }
    const refs = new Set(bom.components.map((one) => one['bom-ref']))
    const needed = bom.dependencies.flatMap(({ dependsOn }) => dependsOn)
    expect(needed.filter((ref) => !refs.has(ref))).toEqual([])
    expect(needed).toContainEqual(expect.stringMatching(/^koa@/))
  })
})
