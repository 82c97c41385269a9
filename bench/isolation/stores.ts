/** Stores with two clinics each: the demo clinic, which is the one that waits, and a hostile one with its fixture. */
import { hash } from 'node:crypto'
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createAccount } from '../../src/clinics/accounts.ts'
import { createClinic } from '../../src/clinics/clinics.ts'
import { DEMO_CLINIC } from '../../src/demo/demo-clinic.ts'
import { openStore } from '../../src/main/open-store.ts'
import { Repository } from '../../src/repository/repository.ts'
import { logIn, progress, SETTLE, startServer } from '../emr.ts'
import { startMongod } from '../mongo/mongod.ts'
import type { ServerProcess } from '../server-process.ts'
import { ClinicClient, type FixtureName, fill } from './fixtures.ts'
import {
  DEMO_CLINIC_ACCOUNT,
  HOSTILE_ACCOUNT,
  HOSTILE_ADMIN,
  HOSTILE_CLINIC,
  HOSTILE_NUMBER,
} from './hostile-clinic.ts'

/** As in production; the demo clinic is another customer. The systems of clinics are those of the bench. */
export const startIsolated = (databaseUrl: string): Promise<ServerProcess> =>
  startServer(databaseUrl, { NODE_ENV: 'production', DEMO: 'off', ALLOW_PRIVATE_ADDRESSES: 'on' })

export interface Stores {
  /** The address of a store with the fixture; changes in it are lost on SQLite, and stay on MongoDB. */
  readonly open: (fixture: FixtureName) => Promise<string>
  /** The resources that the servers refused to store, by fixture. */
  readonly refused: ReadonlyMap<FixtureName, readonly string[]>
  readonly stop: () => Promise<void>
}

/** @param kept folder in which prepared stores are kept for later runs; absent: they are not kept */
export function sqliteStores(folder: string, kept?: string): Stores {
  const refused = new Map<FixtureName, readonly string[]>()
  const version = fingerprint()
  const open = async (fixture: FixtureName): Promise<string> => {
    const name = `isolation-${fixture.replaceAll(' ', '-')}`
    const original = join(kept ?? folder, `${kept === undefined ? '' : 'bench-'}${name}-${version}.db`)
    if (!existsSync(original)) {
      const prepared = join(folder, `${name}.db`)
      refused.set(fixture, await prepare(`sqlite:${prepared}`, fixture))
      renameSync(prepared, original)
    }
    const used = join(folder, 'used.db')
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${used}${suffix}`, { force: true })
    copyFileSync(original, used)
    return `sqlite:${used}`
  }
  return { open, refused, stop: async () => undefined }
}

/** Part of the name of a kept store: changes with its data, and with the storage format of the server. */
function fingerprint(): string {
  const folders = [
    join(import.meta.dirname, 'stored'),
    join(import.meta.dirname, '../../src/clinics'),
    join(import.meta.dirname, '../../src/storage/sqlite'),
    join(import.meta.dirname, '../../src/search/index'),
  ]
  const files = folders.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
  const accounts = join(import.meta.dirname, 'hostile-clinic.ts')
  const texts = [...files, accounts].filter((file) => file.endsWith('.ts')).map((file) => readFileSync(file, 'utf8'))
  return hash('sha256', texts.join('\n')).slice(0, 8)
}

export async function mongoStores(folder: string): Promise<Stores> {
  const mongod = await startMongod(join(folder, 'isolation-mongod'))
  const refused = new Map<FixtureName, readonly string[]>()
  const open = async (fixture: FixtureName): Promise<string> => {
    const url = mongod.urlOf(`isolation-${fixture.replaceAll(' ', '-')}`)
    if (!refused.has(fixture)) refused.set(fixture, await prepare(url, fixture))
    return url
  }
  return { open, refused, stop: mongod.stop }
}

/** @returns the resources that the server refused to store. @throws Error when the set-up fails */
async function prepare(databaseUrl: string, fixture: FixtureName): Promise<readonly string[]> {
  progress(`Preparing a clinic with ${fixture}`)
  // The server itself first writes the demo clinic, which it only does on an empty store.
  await withServer(startServer(databaseUrl), async () => undefined)
  await createClinics(databaseUrl)
  return withServer(startIsolated(databaseUrl), async ({ url }) => {
    const clinic = new ClinicClient(url, await logIn(url, HOSTILE_ACCOUNT))
    await fill(fixture, clinic)
    await pause(SETTLE)
    return clinic.refused
  })
}

/** @throws Error when the server has to be killed: its store could not be copied then */
async function withServer<T>(
  starting: Promise<ServerProcess>,
  work: (server: ServerProcess) => Promise<T>,
): Promise<T> {
  const server = await starting
  try {
    const result = await work(server)
    if (await server.stop()) return result
    throw new Error('The server of the set-up did not end when it was told to')
  } finally {
    await server.stop()
  }
}

/** Creates the hostile clinic, and accounts of both. */
async function createClinics(databaseUrl: string): Promise<void> {
  const store = await openStore(databaseUrl)
  try {
    const repository = new Repository(store, { baseUrl: 'http://127.0.0.1' })
    await createClinic(repository, HOSTILE_CLINIC, {
      name: 'Hostile Clinic',
      timeZone: 'UTC',
      dialedNumbers: [HOSTILE_NUMBER],
      defaultRegion: 'US',
      // Outside of the demo a clinic keeps none unless it asks for it.
      journal: 'full',
      // Profiles are checked on every write.
      policies: { overbooking: false, slotTakenStatus: 409, profiles: 'reject' },
    })
    for (const [clinic, role, { username, password }] of [
      [HOSTILE_CLINIC, 'staff', HOSTILE_ACCOUNT],
      [HOSTILE_CLINIC, 'admin', HOSTILE_ADMIN],
      [DEMO_CLINIC, 'staff', DEMO_CLINIC_ACCOUNT],
    ] as const) {
      await createAccount(repository, { username, name: username, clinic, role }, password)
    }
  } finally {
    await store.close()
  }
}
