-- Search: an index of what users define and share, kept by triggers in the transaction of each change.
--
-- Plain tables: in SQLite 3.40, no trigger may write to FTS5 while `trusted_schema` is off. The rows of the index begin
-- with a scope: a search reads what its user may see, and never goes through what others have.

-- Letters that are compared as another one: small, without accents. `aeon.platform.search.tokenizer` has the same table.

CREATE TABLE search_letters (
    letter TEXT PRIMARY KEY,
    folded TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Blanks and punctuation

INSERT INTO search_letters (letter, folded)
WITH RECURSIVE spans(first, last) AS (VALUES
    (0x1, 0x1F), (0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0xA9), (0xAB, 0xAC), (0xAE, 0xB1),
    (0xB4, 0xB4), (0xB6, 0xB8), (0xBB, 0xBB), (0xBF, 0xBF), (0xD7, 0xD7), (0xF7, 0xF7), (0x375, 0x375),
    (0x37E, 0x37E), (0x384, 0x385), (0x387, 0x387), (0x3F6, 0x3F6), (0x482, 0x482), (0x55A, 0x55F),
    (0x589, 0x58A), (0x58D, 0x58F), (0x1FBD, 0x1FBD), (0x1FBF, 0x1FC1), (0x1FCD, 0x1FCF), (0x1FDD, 0x1FDF),
    (0x1FED, 0x1FEF), (0x1FFD, 0x1FFE), (0x2000, 0x200A), (0x2010, 0x2029), (0x202F, 0x205F), (0x2E00, 0x2E2E),
    (0x2E30, 0x2E5D), (0x3000, 0x3004), (0x3008, 0x3020), (0x3030, 0x3030), (0x3036, 0x3037), (0x303D, 0x303F),
    (0xFF01, 0xFF0F), (0xFF1A, 0xFF20), (0xFF3B, 0xFF40), (0xFF5B, 0xFF5E)
), codes(code, last) AS (
    SELECT first, last FROM spans UNION ALL SELECT code + 1, last FROM codes WHERE code < last
)
SELECT char(code), ' ' FROM codes;

-- Accents, and characters without a width

INSERT INTO search_letters (letter, folded)
WITH RECURSIVE spans(first, last) AS (VALUES
    (0xAD, 0xAD), (0x300, 0x36F), (0x483, 0x489), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x2064),
    (0x2066, 0x206F), (0x302A, 0x302F), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)
), codes(code, last) AS (
    SELECT first, last FROM spans UNION ALL SELECT code + 1, last FROM codes WHERE code < last
)
SELECT char(code), '' FROM codes;

-- Capital letters, letters with accents, and those of full width

INSERT INTO search_letters (letter, folded)
WITH RECURSIVE letters(given, folded) AS (SELECT
    'ABCDEFGHIJKLMNOPQRSTUVWXYZµÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖØÙÚÛÜÝÞàáâãäåçèéêëìíîïñòóôõöøùúûüýÿĀāĂăĄąĆćĈĉĊ' ||
    'ċČčĎďĐđĒēĔĕĖėĘęĚěĜĝĞğĠġĢģĤĥĦħĨĩĪīĬĭĮįİıĲĴĵĶķĹĺĻļĽľĿŁłŃńŅņŇňŊŌōŎŏŐőŒŔŕŖŗŘřŚśŜŝŞşŠšŢţŤťŦŧŨũŪūŬŭŮůŰ' ||
    'űŲųŴŵŶŷŸŹźŻżŽžſƁƂƄƆƇƉƊƋƎƏƐƑƓƔƖƗƘƜƝƟƠơƢƤƦƧƩƬƮƯưƱƲƳƵƷƸƼǄǅǇǈǊǋǍǎǏǐǑǒǓǔǕǖǗǘǙǚǛǜǞǟǠǡǢǣǤǦǧǨǩǪǫǬǭǮǯǰǱǲǴ' ||
    'ǵǶǷǸǹǺǻǼǽǾǿȀȁȂȃȄȅȆȇȈȉȊȋȌȍȎȏȐȑȒȓȔȕȖȗȘșȚțȜȞȟȠȢȤȦȧȨȩȪȫȬȭȮȯȰȱȲȳȺȻȽȾɁɃɄɅɆɈɊɌɎͰͲʹͶͿΆΈΉΊΌΎΏΐΑΒΓΔΕΖΗΘΙΚΛ' ||
    'ΜΝΞΟΠΡΣΤΥΦΧΨΩΪΫάέήίΰςϊϋόύώϏϐϑϓϔϕϖϘϚϜϞϠϢϤϦϨϪϬϮϰϱϴϵϷϹϺϽϾϿЀЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШ' ||
    'ЩЪЫЬЭЮЯйѐёѓїќѝўѠѢѤѦѨѪѬѮѰѲѴѶѷѸѺѼѾҀҊҌҎҐҒҔҖҘҚҜҞҠҢҤҦҨҪҬҮҰҲҴҶҸҺҼҾӀӁӂӃӅӇӉӋӍӐӑӒӓӔӖӗӘӚӛӜӝӞӟӠӢӣӤӥӦӧӨӪӫӬӭӮ' ||
    'ӯӰӱӲӳӴӵӶӸӹӺӼӾԀԂԄԆԈԊԌԎԐԒԔԖԘԚԜԞԠԢԤԦԨԪԬԮԱԲԳԴԵԶԷԸԹԺԻԼԽԾԿՀՁՂՃՄՅՆՇՈՉՊՋՌՍՎՏՐՑՒՓՔՕՖḀḁḂḃḄḅḆḇḈḉḊḋḌḍḎḏḐḑḒḓḔ' ||
    'ḕḖḗḘḙḚḛḜḝḞḟḠḡḢḣḤḥḦḧḨḩḪḫḬḭḮḯḰḱḲḳḴḵḶḷḸḹḺḻḼḽḾḿṀṁṂṃṄṅṆṇṈṉṊṋṌṍṎṏṐṑṒṓṔṕṖṗṘṙṚṛṜṝṞṟṠṡṢṣṤṥṦṧṨṩṪṫṬṭṮṯṰṱṲṳṴ' ||
    'ṵṶṷṸṹṺṻṼṽṾṿẀẁẂẃẄẅẆẇẈẉẊẋẌẍẎẏẐẑẒẓẔẕẖẗẘẙẛẞẠạẢảẤấẦầẨẩẪẫẬậẮắẰằẲẳẴẵẶặẸẹẺẻẼẽẾếỀềỂểỄễỆệỈỉỊịỌọỎỏỐốỒồỔổỖỗỘ' ||
    'ộỚớỜờỞởỠỡỢợỤụỦủỨứỪừỬửỮữỰựỲỳỴỵỶỷỸỹỺỼỾἀἁἂἃἄἅἆἇἈἉἊἋἌἍἎἏἐἑἒἓἔἕἘἙἚἛἜἝἠἡἢἣἤἥἦἧἨἩἪἫἬἭἮἯἰἱἲἳἴἵἶἷἸἹἺἻἼἽἾἿ' ||
    'ὀὁὂὃὄὅὈὉὊὋὌὍὐὑὒὓὔὕὖὗὙὛὝὟὠὡὢὣὤὥὦὧὨὩὪὫὬὭὮὯὰάὲέὴήὶίὸόὺύὼώᾀᾁᾂᾃᾄᾅᾆᾇᾈᾉᾊᾋᾌᾍᾎᾏᾐᾑᾒᾓᾔᾕᾖᾗᾘᾙᾚᾛᾜᾝᾞᾟᾠᾡᾢᾣᾤᾥᾦᾧᾨᾩ' ||
    'ᾪᾫᾬᾭᾮᾯᾰᾱᾲᾳᾴᾶᾷᾸᾹᾺΆᾼιῂῃῄῆῇῈΈῊΉῌῐῑῒΐῖῗῘῙῚΊῠῡῢΰῤῥῦῧῨῩῪΎῬῲῳῴῶῷῸΌῺΏῼ０１２３４５６７８９ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸ' ||
    'ＹＺａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ',
    'abcdefghijklmnopqrstuvwxyzμaaaaaaæceeeeiiiiðnoooooouuuuyþaaaaaaceeeeiiiinoooooouuuuyyaaaaaaccccc' ||
    'cccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiĳjjkkllllllŀllnnnnnnŋooooooœrrrrrrssssssssttttttuuuuuuuuu' ||
    'uuuwwyyyzzzzzzsɓƃƅɔƈɖɗƌǝəɛƒɠɣɩɨƙɯɲɵooƣƥʀƨʃƭʈuuʊʋƴƶʒƹƽǆǆǉǉǌǌaaiioouuuuuuuuuuaaaaææǥggkkooooʒʒjǳǳg' ||
    'gƕƿnnaaææooaaaaeeeeiiiioooorrrruuuussttȝhhƞȣȥaaeeooooooooyyⱥȼƚⱦɂƀʉʌɇɉɋɍɏͱͳʹͷϳαεηιουωιαβγδεζηθικλ' ||
    'μνξοπρστυφχψωιυαεηιυσιυουωϗβθϒϒφπϙϛϝϟϡϣϥϧϩϫϭϯκρθεϸϲϻͻͼͽееђгєѕііјљњћкиуџабвгдежзииклмнопрстуфхцчш' ||
    'щъыьэюяиеегікиуѡѣѥѧѩѫѭѯѱѳѵѵѵѹѻѽѿҁҋҍҏґғҕҗҙқҝҟҡңҥҧҩҫҭүұҳҵҷҹһҽҿӏжжӄӆӈӊӌӎааааӕееәәәжжззӡииииооөөөээу' ||
    'уууууччӷыыӻӽӿԁԃԅԇԉԋԍԏԑԓԕԗԙԛԝԟԡԣԥԧԩԫԭԯաբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆaabbbbbbccdddddddddde' ||
    'eeeeeeeeeffgghhhhhhhhhhiiiikkkkkkllllllllmmmmmmnnnnnnnnoooooooopppprrrrrrrrssssssssssttttttttuuu' ||
    'uuuuuuuvvvvwwwwwwwwwwxxxxyyzzzzzzhtwysßaaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiiooooooooooooo' ||
    'ooooooooooouuuuuuuuuuuuuuyyyyyyyyỻỽỿααααααααααααααααεεεεεεεεεεεεηηηηηηηηηηηηηηηηιιιιιιιιιιιιιιιι' ||
    'οοοοοοοοοοοουυυυυυυυυυυυωωωωωωωωωωωωωωωωααεεηηιιοουυωωααααααααααααααααηηηηηηηηηηηηηηηηωωωωωωωωωω' ||
    'ωωωωωωααααααααααααιηηηηηεεηηηιιιιιιιιιιυυυυρρυυυυυυρωωωωωοοωωω0123456789abcdefghijklmnopqrstuvwx' ||
    'yzabcdefghijklmnopqrstuvwxyz'
), places(place) AS (
    SELECT 1 UNION ALL SELECT place + 1 FROM places, letters WHERE place < length(given)
)
SELECT substr(given, place, 1), substr(folded, place, 1) FROM letters, places;

-- Their blocks, so that a text is only looked through for letters of blocks that it has

CREATE TABLE search_blocks (
    first TEXT PRIMARY KEY,
    last  TEXT NOT NULL,
    found TEXT NOT NULL GENERATED ALWAYS AS ('*[' || first || '-' || last || ']*') STORED
) STRICT, WITHOUT ROWID;

INSERT INTO search_blocks (first, last)
WITH blocks(first, last) AS (VALUES
    (0x1, 0x7F), (0x80, 0xFF), (0x100, 0x17F), (0x180, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF),
    (0x500, 0x58F), (0x1E00, 0x1EFF), (0x1F00, 0x1FFF), (0x2000, 0x206F), (0x2E00, 0x303F), (0xFE00, 0xFEFF),
    (0xFF00, 0xFF5F)
)
SELECT char(first), char(last) FROM blocks;

-- Places in a name in which each of its blanks is two

CREATE TABLE search_places (
    place INTEGER PRIMARY KEY
) STRICT;

INSERT INTO search_places (place)
WITH RECURSIVE places(place) AS (SELECT 1 UNION ALL SELECT place + 1 FROM places WHERE place < 402)
SELECT place FROM places;

-- What can be found: one row a thing. Those that are shared have the scope '', all others their owner.

CREATE TABLE search_documents (
    id         INTEGER PRIMARY KEY,
    label      TEXT NOT NULL,
    subject    TEXT NOT NULL,
    owner_id   TEXT NOT NULL,
    shared     INTEGER NOT NULL CHECK (shared IN (0, 1)),
    scope      TEXT NOT NULL GENERATED ALWAYS AS (CASE shared WHEN 1 THEN '' ELSE owner_id END) STORED,
    name       TEXT NOT NULL,
    body       TEXT NOT NULL,
    name_words TEXT NOT NULL DEFAULT '',
    body_words TEXT NOT NULL DEFAULT '',
    UNIQUE (label, subject)
) STRICT;

-- The words of a document, and the runs of three characters in its name

CREATE VIEW search_document_terms (scope, term, document) AS
SELECT d.scope, substr(word.value, 1, 64), d.id
FROM search_documents AS d
    CROSS JOIN json_each('["' || replace(d.name_words || ' ' || d.body_words, ' ', '","') || '"]') AS word
WHERE word.value <> '';

CREATE VIEW search_document_grams (scope, gram, document) AS
SELECT d.scope, substr('  ' || replace(d.name_words, ' ', '  ') || ' ', p.place, 3), d.id
FROM search_documents AS d CROSS JOIN search_places AS p
WHERE p.place <= length(replace(d.name_words, ' ', '  ')) + 1;

-- Which documents have a word, and whose names have three characters in a row. The newest documents have no rows there:
-- 64 of them get theirs at once, which writes a few more pages than one by itself would.

CREATE TABLE search_terms (
    scope    TEXT NOT NULL,
    term     TEXT NOT NULL,
    document INTEGER NOT NULL,
    PRIMARY KEY (scope, term, document)
) STRICT, WITHOUT ROWID;

CREATE TABLE search_grams (
    scope    TEXT NOT NULL,
    gram     TEXT NOT NULL,
    document INTEGER NOT NULL,
    PRIMARY KEY (scope, gram, document)
) STRICT, WITHOUT ROWID;

CREATE TABLE search_newest (
    document INTEGER PRIMARY KEY
) STRICT;

CREATE VIEW search_newest_terms (scope, term, document) AS
SELECT t.scope, t.term, t.document
FROM search_newest CROSS JOIN search_document_terms AS t ON t.document = search_newest.document;

CREATE VIEW search_newest_grams (scope, gram, document) AS
SELECT g.scope, g.gram, g.document
FROM search_newest CROSS JOIN search_document_grams AS g ON g.document = search_newest.document;

CREATE TRIGGER search_newest_full AFTER INSERT ON search_newest
WHEN (SELECT count(*) FROM search_newest) >= 64
BEGIN
    INSERT INTO search_terms (scope, term, document)
    SELECT scope, term, document FROM search_newest_terms WHERE true
    ON CONFLICT DO NOTHING;
    INSERT INTO search_grams (scope, gram, document)
    SELECT scope, gram, document FROM search_newest_grams WHERE true
    ON CONFLICT DO NOTHING;
    DELETE FROM search_newest;
END;

-- Name and body are folded as one text, with char(31) between them: each letter that occurs is replaced, one by one.
-- Of a body, the first 1,000 characters are.

CREATE TRIGGER search_documents_created AFTER INSERT ON search_documents
BEGIN
    UPDATE search_documents
    SET (name_words, body_words) = (
        SELECT substr(text, 1, instr(text, char(31)) - 1), substr(text, instr(text, char(31)) + 1)
        FROM (
            WITH RECURSIVE given(text) AS (
                SELECT replace(NEW.name, char(31), ' ') || char(31)
                    || replace(substr(NEW.body, 1, 1000), char(31), ' ')
            ), steps(letter, text, last) AS (
                SELECT '', text, CASE WHEN text GLOB '*[^' || char(1) || '-' || char(127) || ']*'
                                      THEN char(0x10FFFF) ELSE char(127) END
                FROM given
                UNION ALL
                SELECT l.letter, replace(steps.text, l.letter, l.folded), steps.last
                FROM steps JOIN search_letters AS l ON l.letter = (
                    SELECT next.letter
                    FROM search_blocks AS b CROSS JOIN search_letters AS next
                    WHERE b.last > steps.letter AND b.first <= steps.last AND steps.text GLOB b.found
                      AND next.letter >= max(steps.letter, b.first) AND next.letter <= b.last
                      AND next.letter <> char(31) AND instr(steps.text, next.letter) > 0
                    ORDER BY b.first, next.letter LIMIT 1
                )
            )
            SELECT text FROM steps ORDER BY letter DESC LIMIT 1
        )
    )
    WHERE id = NEW.id;
    INSERT INTO search_newest (document) VALUES (NEW.id);
END;

CREATE TRIGGER search_documents_deleted BEFORE DELETE ON search_documents
BEGIN
    DELETE FROM search_newest WHERE document = OLD.id;
    DELETE FROM search_terms
    WHERE (scope, term, document) IN (SELECT scope, term, document FROM search_document_terms WHERE document = OLD.id);
    DELETE FROM search_grams
    WHERE (scope, gram, document) IN (SELECT scope, gram, document FROM search_document_grams WHERE document = OLD.id);
END;

-- The things of each kind but secrets. A template that is archived is not found.

CREATE TRIGGER services_indexed AFTER INSERT ON services
BEGIN
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'Service', NEW.id, NEW.owner_id, NEW.shared, NEW.name, '';
END;

CREATE TRIGGER services_reindexed AFTER UPDATE OF name, shared ON services
WHEN (OLD.name, OLD.shared)
  IS NOT (NEW.name, NEW.shared)
BEGIN
    DELETE FROM search_documents WHERE label = 'Service' AND subject = OLD.id;
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'Service', NEW.id, NEW.owner_id, NEW.shared, NEW.name, '';
END;

CREATE TRIGGER services_unindexed AFTER DELETE ON services
BEGIN
    DELETE FROM search_documents WHERE label = 'Service' AND subject = OLD.id;
END;

CREATE TRIGGER tools_indexed AFTER INSERT ON tools
BEGIN
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'Tool', NEW.id, NEW.owner_id, NEW.shared, NEW.name, NEW.description;
END;

CREATE TRIGGER tools_reindexed AFTER UPDATE OF name, description, shared ON tools
WHEN (OLD.name, OLD.description, OLD.shared)
  IS NOT (NEW.name, NEW.description, NEW.shared)
BEGIN
    DELETE FROM search_documents WHERE label = 'Tool' AND subject = OLD.id;
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'Tool', NEW.id, NEW.owner_id, NEW.shared, NEW.name, NEW.description;
END;

CREATE TRIGGER tools_unindexed AFTER DELETE ON tools
BEGIN
    DELETE FROM search_documents WHERE label = 'Tool' AND subject = OLD.id;
END;

CREATE TRIGGER processes_indexed AFTER INSERT ON processes
BEGIN
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'Process', NEW.id, NEW.owner_id, NEW.shared, NEW.name, NEW.description;
END;

CREATE TRIGGER processes_reindexed AFTER UPDATE OF name, description, shared ON processes
WHEN (OLD.name, OLD.description, OLD.shared)
  IS NOT (NEW.name, NEW.description, NEW.shared)
BEGIN
    DELETE FROM search_documents WHERE label = 'Process' AND subject = OLD.id;
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'Process', NEW.id, NEW.owner_id, NEW.shared, NEW.name, NEW.description;
END;

CREATE TRIGGER processes_unindexed AFTER DELETE ON processes
BEGIN
    DELETE FROM search_documents WHERE label = 'Process' AND subject = OLD.id;
END;

CREATE TRIGGER service_templates_indexed AFTER INSERT ON service_templates
BEGIN
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'ServiceTemplate', NEW.id, NEW.owner_id, NEW.shared, NEW.name, coalesce(NEW.description, '')
    WHERE NEW.archived = 0;
END;

CREATE TRIGGER service_templates_reindexed AFTER UPDATE OF name, description, shared, archived ON service_templates
WHEN (OLD.name, OLD.description, OLD.shared, OLD.archived)
  IS NOT (NEW.name, NEW.description, NEW.shared, NEW.archived)
BEGIN
    DELETE FROM search_documents WHERE label = 'ServiceTemplate' AND subject = OLD.id;
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'ServiceTemplate', NEW.id, NEW.owner_id, NEW.shared, NEW.name, coalesce(NEW.description, '')
    WHERE NEW.archived = 0;
END;

CREATE TRIGGER service_templates_unindexed AFTER DELETE ON service_templates
BEGIN
    DELETE FROM search_documents WHERE label = 'ServiceTemplate' AND subject = OLD.id;
END;

CREATE TRIGGER tool_templates_indexed AFTER INSERT ON tool_templates
BEGIN
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'ToolTemplate', NEW.id, NEW.owner_id, NEW.shared, NEW.name, coalesce(NEW.description, '')
    WHERE NEW.archived = 0;
END;

CREATE TRIGGER tool_templates_reindexed AFTER UPDATE OF name, description, shared, archived ON tool_templates
WHEN (OLD.name, OLD.description, OLD.shared, OLD.archived)
  IS NOT (NEW.name, NEW.description, NEW.shared, NEW.archived)
BEGIN
    DELETE FROM search_documents WHERE label = 'ToolTemplate' AND subject = OLD.id;
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'ToolTemplate', NEW.id, NEW.owner_id, NEW.shared, NEW.name, coalesce(NEW.description, '')
    WHERE NEW.archived = 0;
END;

CREATE TRIGGER tool_templates_unindexed AFTER DELETE ON tool_templates
BEGIN
    DELETE FROM search_documents WHERE label = 'ToolTemplate' AND subject = OLD.id;
END;

-- What is there already

INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
SELECT label, id, owner_id, shared, name, body
FROM (
    SELECT 'Service' AS label, id, owner_id, shared, name, '' AS body, created_at
    FROM services
    UNION ALL
    SELECT 'Tool' AS label, id, owner_id, shared, name, description AS body, created_at
    FROM tools
    UNION ALL
    SELECT 'Process' AS label, id, owner_id, shared, name, description AS body, created_at
    FROM processes
    UNION ALL
    SELECT 'ServiceTemplate' AS label, id, owner_id, shared, name, coalesce(description, '') AS body, created_at
    FROM service_templates WHERE archived = 0
    UNION ALL
    SELECT 'ToolTemplate' AS label, id, owner_id, shared, name, coalesce(description, '') AS body, created_at
    FROM tool_templates WHERE archived = 0
) AS things
ORDER BY created_at, id;
