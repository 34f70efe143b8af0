-- How many channels the library gives a pair of ranks, by the size of a message: the table
-- pair_channels, by NCCL's rule for sends and receives on one node (scheduleP2pTasksToPlan and
-- addP2pToPlan in its src/enqueue.cc, the same from 2.21 to 2.31): a pair starts with the channels
-- of a peer, halved until all ranks' fit into those for sends and receives, and doubles them while
-- a channel's part is larger than 32 chunks; below that it takes no more than has an eighth of a
-- chunk each. So bandwidth stays constant until a channel's part reaches 32 chunks, and jumps
-- beyond it: on 8 ranks with 32 channels, 16 a peer and chunks of 512 KiB at 64 MiB and at 128 MiB.
-- The rule's inputs are of NCCL's log. Where it lacks them, or data leaves the node, there is none.

-- parts: messages of a call, if it is made of messages of one size.
CREATE TABLE sent AS
WITH
  said AS (
    SELECT variant, max(value) FILTER (WHERE key = 'transport') transport,
           max(value) FILTER (WHERE key = 'p2p_channels') "all",
           max(value) FILTER (WHERE key = 'p2p_channels_per_peer') most,
           max(value) FILTER (WHERE key = 'p2p_chunk_bytes') chunk,
           max(value) FILTER (WHERE key IN ('copy_engine', 'symmetric')) others
    FROM path GROUP BY variant),
  called AS (
    SELECT *, CASE WHEN coll IN ('sendrecv', 'sendrecv_pairs', 'sendrecv_halves') THEN 1
                   WHEN coll = 'sendrecv_both' THEN 2
                   WHEN coll IN ('alltoall', 'gather', 'scatter') THEN comm_ranks END parts
    FROM place)
SELECT variant, "all", most, chunk, id place, comm_ranks ranks, parts, bytes / parts message
FROM said JOIN called ON parts > 0
WHERE (transport GLOB 'P2P/*' OR transport GLOB 'SHM/*') AND NOT ifnull(others, 0)
      -- beyond these limits a record is damaged
      AND "all" BETWEEN 1 AND 1024 AND most BETWEEN 1 AND 1024 AND chunk BETWEEN 8 AND 1 << 40;

INSERT INTO pair_channels
WITH RECURSIVE
  halved(variant, place, start) AS (
    SELECT variant, place, most FROM sent
    UNION ALL
    SELECT variant, place, start / 2 FROM halved JOIN sent USING (variant, place)
    WHERE start > 1 AND start * ranks > "all"),
  begun AS (SELECT variant, place, min(start) start FROM halved GROUP BY variant, place),
  doubled(variant, place, n) AS (
    SELECT variant, place, min(start, message / (chunk / 8) + (message % (chunk / 8) > 0))
    FROM begun JOIN sent USING (variant, place)
    UNION ALL
    SELECT variant, place, 2 * n FROM doubled JOIN sent USING (variant, place)
    WHERE message > n * 32 * chunk AND n BETWEEN 1 AND most / 2),
  given_channels AS ( -- those that a message with full channels has, before they double
    SELECT variant, place, max(1, max(n)) n, max(start, max(n)) filled
    FROM doubled JOIN begun USING (variant, place) GROUP BY variant, place)
SELECT variant, place, "all", chunk, n, iif(filled <= most / 2, filled * 32 * chunk * parts, 0),
       iif(filled <= most / 2, filled * 2, NULL)
FROM sent JOIN given_channels USING (variant, place);

DROP TABLE sent;
