/** Scenarios in files: those of this project, and how a broken one is refused. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from '@jest/globals'
import { readScenario } from '../../../src/rehearsal/scenarios/scenario-file.ts'
import { Scenarios } from '../../../src/rehearsal/scenarios/scenarios.ts'

const folder = mkdtempSync(join(tmpdir(), 'scenarios-'))
afterAll(() => rmSync(folder, { recursive: true }))

const PATIENT = { resourceType: 'Patient', id: 'ada', birthDate: { $date: 'today-40y' } }
const SCENARIO = {
  name: 'small',
  title: 'Small',
  version: '1.0.0',
  description: 'One patient.',
  people: [{ who: 'Ada', resource: 'Patient/ada', what: 'is the only one' }],
  resources: [PATIENT],
}

let files = 0

/** A file in a folder of its own. */
function written(content: unknown, name = 'small.json'): string {
  files += 1
  const path = join(folder, String(files), name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

describe('a scenario', () => {
  test('is a file with its resources', () => {
    expect(readScenario(written(SCENARIO))).toMatchObject({ name: 'small', count: 1, people: SCENARIO.people })
  })

  test('is a folder whose scenario.json names files with lists of resources, in their order', () => {
    const path = written({ ...SCENARIO, resources: ['more.json', PATIENT] }, 'small/scenario.json')
    writeFileSync(join(path, '../more.json'), JSON.stringify([{ ...PATIENT, id: 'first' }]))
    const { count, resources } = readScenario(join(path, '..'))
    expect([count, resources().map(({ id }) => id)]).toEqual([2, ['first', 'ada']])
  })

  test('that there is not is 404 with the nearest name', () => {
    expect(() => new Scenarios().named('quiet-weak')).toThrow(
      "There is no scenario 'quiet-weak'; did you mean quiet-week?",
    )
  })
})

describe('a broken scenario names its file and', () => {
  test.each<[string, unknown, string]>([
    ['that it is not JSON', '{"name": ', 'small.json is not JSON'],
    ['that it is no object', [], 'small.json holds no object'],
    ['the member that is missing', { ...SCENARIO, title: undefined }, 'small.json: title must be a text'],
    ['the member of the wrong kind', { ...SCENARIO, people: 'Ada' }, 'small.json: people must be a list'],
    [
      'the rule for a fault that is wrong',
      { ...SCENARIO, faults: { busy: { fault: 'throtled' } } },
      'small.json: faults.busy: ',
    ],
    ['the member that there is not', { ...SCENARIO, persons: [] }, "small.json: a scenario has no member 'persons'"],
    ['a name other than its own', { ...SCENARIO, name: 'big' }, "small.json: name must be 'small'"],
    ['the file that is not there', { ...SCENARIO, resources: ['none.json'] }, 'none.json'],
    [
      'the type that R4 lacks',
      { ...SCENARIO, resources: [{ resourceType: 'Patent', id: 'a' }] },
      'resources[0] is no resource',
    ],
    [
      'the resource without an id',
      { ...SCENARIO, resources: [{ resourceType: 'Patient' }] },
      'resources[0] must have an id',
    ],
    ['two resources of one id', { ...SCENARIO, resources: [PATIENT, PATIENT] }, 'there are two resources Patient/ada'],
    [
      'a version that does not follow the one before',
      { ...SCENARIO, resources: [PATIENT, { ...PATIENT, $version: 3 }] },
      'there are two resources Patient/ada; the next version of one has "$version": 2',
    ],
    [
      'the deletion of what is not there',
      { ...SCENARIO, resources: [{ resourceType: 'Patient', id: 'ada', $delete: true }, PATIENT] },
      'Patient/ada is changed or deleted before it is there',
    ],
    [
      'the later version that is not valid R4',
      { ...SCENARIO, resources: [PATIENT, { ...PATIENT, $version: 2, gender: 'f' }] },
      'small.json: resources[1] (Patient/ada): ',
    ],
    [
      'the resource that is not valid R4',
      { ...SCENARIO, resources: [PATIENT, { ...PATIENT, id: 'b', gender: 'f' }] },
      'small.json: resources[1] (Patient/b): ',
    ],
    [
      'the path of a moment that cannot be read',
      { ...SCENARIO, resources: [{ ...PATIENT, birthDate: { $date: 'tomorrow' } }] },
      "small.json: resources[0] (Patient/ada): Patient.birthDate: 'tomorrow' is no moment",
    ],
    [
      'the path of a placeholder that there is not',
      { ...SCENARIO, resources: [{ ...PATIENT, birthDate: { $day: 'today' } }] },
      "resources[0] (Patient/ada): Patient.birthDate: '$day' is no placeholder; they are $at, $date, $slot",
    ],
  ])('%s', (_what, content, message) => {
    expect(() => readScenario(written(content))).toThrow(message)
  })
})
