/** Profiles that HL7 published with R4: they can be used, and its resources conform to them and to its extensions. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import type { StructureDefinition } from 'fhir/r4'
import { loadProfiles } from '../../src/profiles/profile.ts'
import { officialExamples } from '../support/official-examples.ts'
import { issuesOf } from '../support/profiles.ts'

const FILE = join(import.meta.dirname, '../../resources/r4/profiles.jsonl')
const published = readFileSync(FILE, 'utf8')
  .trim()
  .split('\n')
  .map((line): StructureDefinition => JSON.parse(line))

test('every profile and extension of R4 can be used as it is', async () => {
  const urls = published.map(({ url }) => url)
  const loaded = await loadProfiles(async () => [], urls)
  expect(urls.filter((url) => loaded.get(url)?.problems.length !== 0)).toEqual([])
  expect(urls.length).toBeGreaterThan(400)
})

describe('resources of R4', () => {
  const examples = [...officialExamples(12)]
  const types = [...new Set(examples.map(({ resourceType }) => resourceType))]

  test.each(types)('%s: no profile and no extension has anything against them', async (type) => {
    const said: unknown[] = []
    for (const resource of examples.filter(({ resourceType }) => resourceType === type)) {
      const issues = await issuesOf(resource, { definitions: [] }, [])
      // Some value sets name themselves in meta.profile, which is not a known profile.
      said.push(...issues.filter(({ severity, code }) => severity !== 'information' && code !== 'not-found'))
    }
    expect(said).toEqual([])
  })
})
