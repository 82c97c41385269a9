/** The scenarios in resources/scenarios. */
import { join } from 'node:path'
import { memoize } from '../../fhir/memoize.ts'
import { type FileScenario, readScenario } from './scenario-file.ts'

export const SCENARIOS = join(import.meta.dirname, '../../../resources/scenarios')

/** More than there are. */
const MOST_FILES = 64

/** A scenario of resources/scenarios. @throws Error naming the file and what is wrong with it */
export const builtInScenario = memoize(MOST_FILES, (name): FileScenario => readScenario(join(SCENARIOS, name)))
