/**
 * `npm run capability`: writes capability/statement.json, so that changes of the declared capabilities show in a diff.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { capabilityStatement } from '../src/capability/statement.ts'
import { standardProvider } from '../src/core/provider.ts'
import { specialProviders } from '../src/providers/index.ts'
import { registerProviders, systemInteractions } from '../src/providers/registry.ts'

const statement = capabilityStatement(registerProviders(specialProviders, standardProvider), systemInteractions())
writeFileSync(join(import.meta.dirname, '../capability/statement.json'), `${JSON.stringify(statement, null, 2)}\n`)
