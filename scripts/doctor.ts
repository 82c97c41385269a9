/** `npm run doctor`: looks at the service that the environment describes; each line says what is right or what to do. */
import { type Config, readConfig } from '../src/config.ts'
import { configurationFindings } from './doctor/configuration.ts'
import { about, type Finding, lineOf } from './doctor/finding.ts'
import { serverFindings } from './doctor/server.ts'

function configuration(): Config | undefined {
  try {
    return readConfig(process.env)
  } catch (error) {
    report([about('configuration').toDo(error instanceof Error ? error.message : String(error))])
    return undefined
  }
}

function report(findings: readonly Finding[]): void {
  for (const finding of findings) console.log(lineOf(finding))
  if (findings.some(({ state }) => state === 'to do')) process.exitCode = 1
}

/** The engine that is not used is not loaded. */
async function storeFindings(config: Config): Promise<readonly Finding[]> {
  if (config.databaseUrl.startsWith('mongodb')) {
    const { mongoFindings } = await import('./doctor/mongo.ts')
    return await mongoFindings(config)
  }
  const { sqliteFindings } = await import('./doctor/sqlite.ts')
  return sqliteFindings(config)
}

const config = configuration()
if (config !== undefined) {
  report(configurationFindings(config, process.env))
  report(await storeFindings(config))
  report(await serverFindings(config))
}
