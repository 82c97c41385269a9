/** A project of somebody else: a folder with modules of its own, in which the package is installed as a link. */
import { cpSync, globSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from '../../src/clinics/accounts.ts'
import { signToken } from '../../src/http/token.ts'
import { SERVICE } from '../../src/repository/record-kinds.ts'
import { type FhirResponse, request } from '../support/request.ts'
import { newFolder } from '../support/run.ts'
import { type Launched, launch, type Started, start } from '../support/server-process.ts'

const ROOT = join(import.meta.dirname, '../..')

/** @returns the folder, with the examples in it */
export function newProject(): string {
  const folder = newFolder()
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules/sandbox-emr'), 'dir')
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  cpSync(join(ROOT, 'examples'), folder, { recursive: true })
  return folder
}

export const examples: readonly string[] = globSync('examples/*.ts', { cwd: ROOT })
  .map((file) => file.slice('examples/'.length))
  .sort()

/** A command that runs the one behind it in `folder`. */
const within = (folder: string): readonly string[] => ['sh', '-c', 'cd "$0" && exec "$@"', folder]

/** The environment of servers that lets `staffOf` sign tokens itself. */
export const SECRETS = { JWT_SECRET: 's'.repeat(32), WEBHOOK_SECRET: 'a secret of the platform' }

export type Fhir = (method: string, path: string, body?: unknown) => Promise<FhirResponse>

/** FHIR requests by staff of the clinic. */
export const staffOf = (clinic: string, server: Pick<Started, 'url'>): Fhir => by('staff', clinic, server)

/** Requests by an admin of the clinic. */
export const adminOf = (clinic: string, server: Pick<Started, 'url'>): Fhir => by('admin', clinic, server)

/** @throws Error when the server makes no such clinic */
export async function makeClinic(id: string, server: Pick<Started, 'url'>): Promise<void> {
  const settings = { name: id, timeZone: 'UTC', defaultRegion: 'US' }
  const { status, text } = await by('operator', SERVICE, server)('POST', '/clinics', { id, ...settings })
  if (status !== 201) throw new Error(`The clinic ${id} was answered ${status}: ${text}`)
}

function by(role: Role, clinic: string, { url }: Pick<Started, 'url'>): Fhir {
  const account = { username: `test-${role}`, name: role, clinic, role } as const
  const { token } = signToken({ secret: SECRETS.JWT_SECRET, lifetimeSeconds: 600 }, account)
  return (method, path, body) => request(url, method, path, body, { authorization: `Bearer ${token}` })
}

export const launchIn = (folder: string, env: Readonly<Record<string, string>>): Launched => launch(env, within(folder))

export const startIn = (folder: string, env: Readonly<Record<string, string>>): Promise<Started> =>
  start(env, within(folder))
