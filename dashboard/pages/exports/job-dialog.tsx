/** One job: how far it is, its files, and why it failed. */
import { Alert, Button, Modal, Stack, Table, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { fileOfJob, isUnderWay, type Job, type JobFile, type JobResult, resultOfJob } from '../../api/jobs.ts'
import { errorText } from '../../api/problem.ts'
import { download } from '../../parts/download.ts'
import { Facts } from '../../parts/facts.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { Empty, Loaded } from '../../parts/page-states.tsx'
import { FormError } from '../../parts/sign-in.tsx'
import { Time } from '../../parts/times.tsx'
import { CancelJob, JobState } from './job-table.tsx'
import { HOLDS, nameOfFile, pathIn, sizeText, titleOf } from './job-words.ts'

interface JobDialogProps {
  /** Undefined: there is none, or it is of somebody else. */
  readonly job: Job | undefined
  readonly onClose: () => void
}

export const JobDialog = ({ job, onClose }: JobDialogProps) => (
  <Modal opened onClose={onClose} size="xl" title={job === undefined ? 'No such job' : titleOf(job)}>
    {job === undefined ? (
      <Empty icon="download" title="The job is gone">
        It was cancelled or removed, its files have expired, or it is of somebody else.
      </Empty>
    ) : (
      <JobView job={job} />
    )}
  </Modal>
)

function JobView({ job }: { readonly job: Job }) {
  const { id, kind, state, owner, createdAt, doneAt, expiresAt, error } = job
  const result = useQuery({ ...resultOfJob(id), enabled: state === 'done' && kind !== 'request' })
  return (
    <Stack>
      <Facts
        facts={[
          [
            'Request',
            <Text key="request" className="mono" size="sm" style={{ overflowWrap: 'anywhere' }}>
              {pathIn(job)}
            </Text>,
          ],
          ['By', <bdi key="by">{owner.name}</bdi>],
          ['Started', <Time key="started" at={createdAt} />],
          ['Ended', doneAt && <Time at={doneAt} />],
          ['Kept until', expiresAt && <Time at={expiresAt} />],
        ]}
      />
      <div role="status">
        {error === undefined ? (
          <JobState job={job} />
        ) : (
          <Alert color="red" variant="light" title="The job has failed">
            {error}
          </Alert>
        )}
      </div>
      {isUnderWay(job) && <CancelJob job={job} />}
      {state === 'done' &&
        (kind === 'request' ? (
          <Response job={job} />
        ) : (
          <Loaded query={result}>{(found) => <Result kind={kind} result={found} />}</Loaded>
        ))}
    </Stack>
  )
}

/** The response to a request, in a Bundle. */
function Response({ job: { id, url } }: { readonly job: Job }) {
  const { save, isSaving, error } = useSave()
  return (
    <>
      <FormError text={error} />
      <Button w="fit-content" loading={isSaving(url)} onClick={() => save({ url, name: `response-${id}.json` })}>
        Download the response
      </Button>
    </>
  )
}

const Result = ({ kind, result: { files, transactionTime } }: Pick<Job, 'kind'> & { readonly result: JobResult }) => (
  <>
    {kind === 'export' && (
      <Text size="sm">
        Data as of <Time at={transactionTime} />
      </Text>
    )}
    {files.length === 0 ? (
      <Text size="sm">There are no files, as nothing was to be written.</Text>
    ) : (
      <Files files={files} />
    )}
  </>
)

function Files({ files }: { readonly files: readonly JobFile[] }) {
  const { save, isSaving, error } = useSave()
  return (
    <>
      <FormError text={error} />
      <ListTable label="Files" titles={['Type', 'Holds', 'Lines', 'Size', 'File']} minWidth={480}>
        {files.map((file, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list of a job that is done does not change
          <Table.Tr key={index}>
            <Table.Th scope="row">
              {file.type}
              <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
                {file.inputUrl}
              </Text>
            </Table.Th>
            <Table.Td>{HOLDS[file.holds]}</Table.Td>
            <Table.Td className="number">{file.count.toLocaleString('en')}</Table.Td>
            <Table.Td className="number">{file.size !== undefined && sizeText(file.size)}</Table.Td>
            <Table.Td>
              {file.url !== undefined && (
                <DownloadButton
                  save={save}
                  isBusy={isSaving(file.url)}
                  url={file.url}
                  name={nameOfFile(file.url, file)}
                />
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </ListTable>
    </>
  )
}

interface DownloadButtonProps extends SavedFile {
  readonly save: (file: SavedFile) => void
  readonly isBusy: boolean
}

const DownloadButton = ({ save, isBusy, url, name }: DownloadButtonProps) => (
  <Button
    size="compact-sm"
    variant="default"
    loading={isBusy}
    aria-label={`Download ${name}`}
    onClick={() => save({ url, name })}
  >
    Download
  </Button>
)

interface SavedFile {
  readonly url: string
  readonly name: string
}

/** Saves a file that needs the token. */
function useSave() {
  const { mutate, isPending, variables, error } = useMutation({
    mutationFn: async ({ url, name }: SavedFile) => download(name, await fileOfJob(url)),
  })
  return {
    save: mutate,
    isSaving: (url: string) => isPending && variables.url === url,
    error: error === null ? undefined : errorText(error),
  }
}
